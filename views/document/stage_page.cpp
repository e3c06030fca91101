#include "views/document/stage_page.h"

#include "views/document/subgraph_links.h"
#include "views/theme.h"

#include <QApplication>
#include <QScrollArea>

#include <utility>

namespace loopglass::views {
namespace {

const QString open_link = "open";

}  // namespace

StagePage::StagePage(Document* document, Stage stage, QWidget* content, QString empty,
                     QWidget* parent)
    : QStackedWidget(parent),
      document_(document),
      stage_(stage),
      empty_(std::move(empty)),
      message_(new QLabel),
      scroll_(new QScrollArea(this)) {
  message_->setObjectName("stageMessage");
  message_->setAlignment(Qt::AlignCenter);
  message_->setWordWrap(true);
  message_->setMinimumWidth(1);  // a word without end makes no window wide
  message_->setMargin(24);
  message_->setTextFormat(Qt::RichText);
  scroll_->setWidget(message_);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setFocusPolicy(Qt::NoFocus);
  addWidget(scroll_);
  connect(message_, &QLabel::linkActivated, document, [document](const QString& link) {
    if (link == open_link) document->want_model();
    else if (!follow_subgraph_link(*document, link)) document->run_passes();
  });
  addWidget(content);
  connect(document, &Document::stageChanged, this, [this](Stage changed) {
    // What comes of a model is on its way while the model is.
    if (changed == stage_ || changed == Stage::Model) show_state();
  });
  connect(&document->jobs(), &JobQueue::changed, this, [this] {
    if (is_working_) show_state();
  });
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &StagePage::show_state);
  show_state();
}

void StagePage::hide_while_guessing() {
  tells_what_is_fused_ = true;
  connect(&document_->fusion(), &FusionStage::guessingChanged, this, &StagePage::show_state);
  show_state();
}

StageState StagePage::state() const {
  const StageState state = document_->state(stage_);
  const bool is_unread = state == StageState::Failed && stage_ == Stage::Model &&
                         !document_->model() && !document_->can_run_passes();
  return is_unread ? StageState::Empty : state;
}

void StagePage::show_state() {
  const auto paragraph = [](const QColor& color, const QString& text) {
    return QString("<p style='color:%1'>%2</p>").arg(color.name(), text.toHtmlEscaped());
  };
  const Theme& t = theme();
  const auto link = [&](const QString& name, const QString& text) {
    return QString("<p><a href='%1' style='color:%2'>%3</a></p>")
        .arg(name, t.accent.name(), text.toHtmlEscaped());
  };
  const QString again = link("again", tr("Run the passes again"));
  // What it waits for may be asked for by another page.
  const QString job = document_->jobs().title();
  const QString working =
      paragraph(t.muted, tr("Working…")) + (job.isEmpty() ? QString() : paragraph(t.muted, job));
  is_working_ = false;
  message_->setStyleSheet(QString("background: %1").arg(t.surface.name()));
  switch (state()) {
    case StageState::Ready: {
      if (tells_what_is_fused_ && document_->fusion().is_guessing()) {
        message_->setText(paragraph(t.muted, tr("Hidden while you guess what is fused.")));
        break;
      }
      const bool waited_for = message_->hasFocus();
      setCurrentIndex(1);
      // Later: the content is still to hear of what has arrived.
      if (waited_for)
        QMetaObject::invokeMethod(this, &StagePage::give_keyboard_back, Qt::QueuedConnection);
      return;
    }
    case StageState::Empty:
      if (stage_ == Stage::Model && document_->can_run_passes())
        message_->setText(
            paragraph(t.muted, tr("The graph passes were stopped before they were done.")) + again);
      else if (is_working_ = document_->state(Stage::Model) == StageState::Working; is_working_)
        message_->setText(working);
      else
        message_->setText(paragraph(t.muted, empty_) +
                          (document_->model() ? QString() : link(open_link, tr("Open a model…"))));
      break;
    case StageState::Working:
      is_working_ = true;
      message_->setText(working);
      break;
    case StageState::Failed: {
      const Diagnostic& problem = *document_->problem(stage_);
      QString text = paragraph(t.error, "✕ " + QString::fromStdString(code_name(problem.code))) +
                     paragraph(t.text, QString::fromStdString(problem.what));
      // What a command would say otherwise.
      const QString links =
          stage_ == Stage::Model ? QString() : subgraph_links_of_kernel(*document_);
      for (const std::string& more :
           {problem.where, links.isEmpty() ? problem.hint : std::string()})
        if (!more.empty()) text += paragraph(t.muted, QString::fromStdString(more));
      text += links;
      if (stage_ == Stage::Model && document_->can_run_passes()) text += again;
      message_->setText(text);
      break;
    }
  }
  // A stop of the keyboard where there is something to go to.
  message_->setTextInteractionFlags(message_->text().contains("<a ")
                                        ? Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard
                                        : Qt::LinksAccessibleByMouse);
  // Hidden content would leave the keyboard to whatever comes next in the window.
  QWidget* focused = QApplication::focusWidget();
  const bool has_keyboard = focused && widget(1)->isAncestorOf(focused);
  if (has_keyboard) had_keyboard_ = focused;
  setCurrentIndex(0);
  if (has_keyboard) message_->setFocus();
}

void StagePage::give_keyboard_back() {
  QWidget* wanted = std::exchange(had_keyboard_, nullptr);
  if (!wanted || currentIndex() != 1) return;
  // Some buttons come and go with what arrives: one beside it will do.
  if (!wanted->isVisible())
    for (QWidget* beside :
         wanted->parentWidget()->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
      if (!wanted->isVisible() && beside->isVisible() && (beside->focusPolicy() & Qt::TabFocus))
        wanted = beside;
  wanted->setFocus(Qt::OtherFocusReason);
}

}  // namespace loopglass::views
