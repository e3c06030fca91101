#include "app/window/bookmarks_dialog.h"

#include "app/window/main_window.h"
#include "app/window/session_keeper.h"
#include "views/text.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QShortcut>
#include <QVBoxLayout>

namespace loopglass::app {
namespace {

QString translated(const char* source) { return QCoreApplication::translate("Bookmarks", source); }

using Bookmarks = std::vector<Bookmark>;

std::optional<std::size_t> current_row(const QListWidget& list, const Bookmarks& bookmarks) {
  const int row = list.currentRow();
  if (row < 0 || static_cast<std::size_t>(row) >= bookmarks.size()) return {};
  return static_cast<std::size_t>(row);
}

void fill(QListWidget& list, const Bookmarks& bookmarks) {
  const QSignalBlocker quiet(&list);
  const int row = std::max(0, list.currentRow());
  list.clear();
  for (const Bookmark& bookmark : bookmarks) {
    auto* item = new QListWidgetItem(views::text(bookmark.name), &list);
    item->setFlags(item->flags() | Qt::ItemIsEditable);
    QString where = views::text(bookmark.place.at);
    if (!bookmark.subgraph.empty()) where = views::text(bookmark.subgraph) + ", " + where;
    item->setToolTip(where);
  }
  list.setCurrentRow(std::min(row, list.count() - 1));
}

}  // namespace

void show_bookmarks(MainWindow& window) {
  views::Document* document = &window.document();
  QDialog dialog(&window);
  dialog.setObjectName("bookmarksDialog");
  dialog.setWindowTitle(translated("Bookmarks"));
  dialog.resize(520, 360);
  auto* list = new QListWidget;
  list->setObjectName("bookmarkList");
  list->setEditTriggers(QAbstractItemView::EditKeyPressed);
  auto* hint = new QLabel(
      translated("Return goes there, F2 renames, Delete removes; Ctrl+Z takes it back."));
  hint->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  auto* go = buttons->addButton(translated("&Go There"), QDialogButtonBox::ActionRole);
  auto* rename = buttons->addButton(translated("&Rename"), QDialogButtonBox::ActionRole);
  auto* remove = buttons->addButton(translated("Re&move"), QDialogButtonBox::ActionRole);
  for (QPushButton* button : {go, rename, remove}) button->setAutoDefault(false);
  auto* column = new QVBoxLayout(&dialog);
  column->addWidget(list, 1);
  column->addWidget(hint);
  column->addWidget(buttons);

  const auto show = [=] {
    const Bookmarks& bookmarks = document->asked().bookmarks;
    fill(*list, bookmarks);
    for (QPushButton* button : {go, rename, remove}) button->setEnabled(!bookmarks.empty());
  };
  const auto change = [=](const auto& edit) {
    Bookmarks bookmarks = document->asked().bookmarks;
    if (const auto row = current_row(*list, bookmarks)) {
      edit(bookmarks, *row);
      document->set_bookmarks(std::move(bookmarks));
    }
  };
  const auto remove_current = [=] {
    change([](Bookmarks& bookmarks, std::size_t row) {
      bookmarks.erase(bookmarks.begin() + static_cast<std::ptrdiff_t>(row));
    });
  };
  const auto go_to_current = [&] {
    const Bookmarks bookmarks = document->asked().bookmarks;
    if (const auto row = current_row(*list, bookmarks)) {
      dialog.accept();
      window.sessions().go_to(bookmarks[*row]);
    }
  };
  QObject::connect(document, &views::Document::askedChanged, list, show, Qt::QueuedConnection);
  // A row that is emptied keeps its name.
  QObject::connect(list, &QListWidget::itemChanged, list, [=](const QListWidgetItem* item) {
    const std::string name = item->text().trimmed().toStdString();
    change([&](Bookmarks& bookmarks, std::size_t row) {
      if (!name.empty()) bookmarks[row].name = name;
    });
    QMetaObject::invokeMethod(list, show, Qt::QueuedConnection);
  });
  QObject::connect(list, &QListWidget::itemActivated, &dialog, go_to_current);
  QObject::connect(go, &QPushButton::clicked, &dialog, go_to_current);
  QObject::connect(rename, &QPushButton::clicked, list, [list] {
    if (QListWidgetItem* item = list->currentItem()) list->editItem(item);
  });
  QObject::connect(remove, &QPushButton::clicked, list, remove_current);
  QObject::connect(new QShortcut(QKeySequence::Delete, list, nullptr, nullptr, Qt::WidgetShortcut),
                   &QShortcut::activated, list, remove_current);
  QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  // The window's own keys for it do not reach a dialog.
  QObject::connect(new QShortcut(QKeySequence("Ctrl+Z"), &dialog), &QShortcut::activated, document,
                   &views::Document::undo);
  show();
  list->setFocus();
  dialog.exec();
}

}  // namespace loopglass::app
