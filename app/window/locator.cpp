#include "app/window/locator.h"

#include "app/window/menus.h"
#include "samples/kernel_samples.h"
#include "samples/samples.h"
#include "views/graph/graph_view.h"
#include "views/text.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QVBoxLayout>

#include <algorithm>
#include <set>
#include <span>
#include <tuple>

namespace loopglass::app {
namespace {

constexpr std::size_t most_results = 200;

// All words, in whatever order: in the title, or as the beginning of what it is ("workspace").
bool is_meant(const QString& title, const QString& kind, const QString& query) {
  constexpr qsizetype shortest = 3;  // fewer letters begin too much
  const QStringList words = query.split(' ', Qt::SkipEmptyParts);
  return !words.isEmpty() && std::ranges::all_of(words, [&](const QString& word) {
    return title.contains(word, Qt::CaseInsensitive) ||
           (word.size() >= shortest && kind.startsWith(word, Qt::CaseInsensitive));
  });
}

}  // namespace

Locator::Locator(views::Document* document, const Panes* panes, Workspaces* workspaces,
                 const RecentModels* recent, QWidget* parent)
    : QDialog(parent, Qt::Popup),
      document_(document),
      panes_(panes),
      workspaces_(workspaces),
      recent_(recent),
      query_(new QLineEdit),
      results_(new QListWidget) {
  query_->setPlaceholderText(
      tr("Name of a node, kernel, value, pass, pane, workspace or menu entry, or of a model"));
  query_->setClearButtonEnabled(true);
  query_->installEventFilter(this);
  results_->setUniformItemSizes(true);
  results_->setTextElideMode(Qt::ElideRight);
  results_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(query_);
  layout->addWidget(results_);
  connect(query_, &QLineEdit::textChanged, this, &Locator::search);
  connect(query_, &QLineEdit::returnPressed, this, &Locator::choose);
  connect(results_, &QListWidget::itemActivated, this, &Locator::choose);
  connect(results_, &QListWidget::itemClicked, this, &Locator::choose);
}

void Locator::open_above(QWidget* window) {
  resize(std::min(640, window->width() - 40), std::min(420, window->height() - 80));
  move(window->mapToGlobal(QPoint((window->width() - width()) / 2, 60)));
  query_->clear();
  search({});
  show();
  query_->setFocus();
}

// Panes and workspaces of that name.
void Locator::add_places(const QString& query) {
  for (const Pane& pane : panes_->all())
    if (const QString title = pane.dock->windowTitle();
        is_meant(title + " " + pane.also, tr("pane"), query))
      entries_.push_back({title,
                          pane.also.isEmpty() ? tr("pane") : tr("pane, with its %1").arg(pane.also),
                          [this, id = pane.id] { panes_->focus(id); }});
  for (const Workspace& workspace : all_workspaces())
    if (is_meant(workspace.title, tr("workspace"), query))
      entries_.push_back({workspace.title, tr("workspace, %1").arg(workspace.doc),
                          [this, name = workspace.name] { workspaces_->use(name); }});
}

void Locator::add_actions(const QString& query, QMenu& menu, const QString& path,
                          const QString& submenus) {
  if (menu.objectName() == models_menu) return;
  emit menu.aboutToShow();  // some are made, and some enabled, when they are about to be seen
  const auto plain = [](QString title) { return title.remove('&').remove("…").remove("..."); };
  for (QAction* action : menu.actions()) {
    const QString title = plain(action->text());
    if (action->menu() != nullptr) {
      add_actions(query, *action->menu(), path + " > " + title, submenus + title + " ");
      continue;
    }
    const auto places = std::span(entries_).first(place_count_);
    const bool is_place = std::ranges::find(places, title, &Entry::name) != places.end();
    if (action->isSeparator() || !action->isVisible() || is_place ||
        !is_meant(submenus + title, tr("menu"), query))
      continue;
    if (!action->isEnabled()) {
      entries_.push_back({title, tr("menu %1, not now").arg(path), {}});
      continue;
    }
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    entries_.push_back({title, tr("menu %1").arg(path) + (keys.isEmpty() ? "" : ", " + keys),
                        [action = QPointer(action)] {
                          if (action) action->trigger();
                        }});
  }
}

void Locator::add_presets(const QString& query) {
  for (const pass::Preset& preset : document_->toolchain().presets)
    if (const QString name = "@" + views::text(preset.name); is_meant(name, tr("preset"), query))
      entries_.push_back({name, tr("preset of passes, %1").arg(views::text(preset.doc)),
                          [this, text = preset.name] {
                            std::ignore = document_->set_pipeline(text);
                            panes_->focus(PaneId::Pipeline);
                          }});
}

// Samples, and what was opened before; where nothing is open, all of them.
void Locator::add_models(const QString& query) {
  const bool all = query.isEmpty() && !document_->model();
  std::set<QString> known;
  const auto add = [&](const QString& name, const QString& kind, const QString& detail,
                       const RecentModel& model) {
    if (!all && !is_meant(name, kind, query)) return;
    entries_.push_back(
        {name, kind + ", " + detail, [this, model] { emit modelChosen(model); }, true});
  };
  for (const samples::Sample& sample : samples::all_samples()) {
    const QString name = views::text(sample.name), title = views::text(sample.title);
    known.insert(name);
    add(title.compare(name, Qt::CaseInsensitive) == 0 ? title : QString("%1 (%2)").arg(title, name),
        tr("sample"), views::text(sample.doc), {name, {}});
  }
  for (const samples::KernelSample& sample : samples::all_kernel_samples()) {
    const QString name = views::text(sample.name);
    known.insert(name);
    add(QString("%1 (%2)").arg(views::text(sample.title), name), tr("sample kernel"),
        views::text(sample.doc), {name, {}});
  }
  for (const RecentModel& recent : recent_->all())
    if (!recent.inputs.empty() || !known.contains(recent.model))
      add(recent.words(), tr("recent model"), tr("opened before"), recent);
}

void Locator::search(const QString& query) {
  entries_.clear();
  add_places(query);
  place_count_ = entries_.size();
  if (const auto* window = qobject_cast<QMainWindow*>(parentWidget()))
    for (const QAction* menu : window->menuBar()->actions())
      if (menu->menu() != nullptr)
        add_actions(query, *menu->menu(), QString(menu->text()).remove('&'));
  for (const views::Found& found : views::look_up(*document_, query, most_results))
    entries_.push_back({found.name, views::name(found.kind) + ", " + found.detail, [this, found] {
                          views::go_to(*document_, found);
                          panes_->graph()->setFocus();
                        }});
  add_presets(query);
  add_models(query);
  // What is called so, then what begins so; who searches in what is open means that first.
  std::ranges::stable_sort(entries_, {}, [&](const Entry& entry) {
    if (entry.is_model && document_->model()) return 3;
    if (query.isEmpty() || !entry.name.startsWith(query, Qt::CaseInsensitive)) return 2;
    return entry.name.size() == query.size() ? 0 : 1;
  });
  results_->clear();
  // Long names are alike at their beginnings; of what is said of them the beginning says most.
  const int room_for_name = 3 * width() / 5;
  for (const Entry& entry : entries_) {
    const QString name =
        results_->fontMetrics().elidedText(entry.name, Qt::ElideMiddle, room_for_name);
    auto* item = new QListWidgetItem(QString("%1   —   %2").arg(name, entry.detail));
    item->setToolTip(entry.name + "\n" + entry.detail);
    if (!entry.go) item->setFlags(Qt::NoItemFlags);
    results_->addItem(item);
  }
  if (entries_.empty()) {
    auto* nothing = new QListWidgetItem(tr("Nothing of that name"));
    nothing->setFlags(Qt::NoItemFlags);
    results_->addItem(nothing);
  }
  results_->setCurrentRow(0);
}

void Locator::choose() {
  const int row = results_->currentRow();
  if (row < 0 || row >= static_cast<int>(entries_.size())) return;
  const Entry entry = entries_[static_cast<std::size_t>(row)];
  if (!entry.go) return;
  accept();
  entry.go();
}

// Up and down move in the list while the cursor stays in the field.
bool Locator::eventFilter(QObject* watched, QEvent* event) {
  if (watched == query_ && event->type() == QEvent::KeyPress) {
    switch (static_cast<QKeyEvent*>(event)->key()) {
      case Qt::Key_Up:
      case Qt::Key_Down:
      case Qt::Key_PageUp:
      case Qt::Key_PageDown: QCoreApplication::sendEvent(results_, event); return true;
      default: break;
    }
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace loopglass::app
