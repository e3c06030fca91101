#include "views/document/stage_page.h"

#include "views/theme.h"

namespace loopglass::views {

StagePage::StagePage(Document* document, Stage stage, QWidget* content, QString empty,
                     QWidget* parent)
    : QStackedWidget(parent),
      document_(document),
      stage_(stage),
      empty_(std::move(empty)),
      message_(new QLabel(this)) {
  message_->setAlignment(Qt::AlignCenter);
  message_->setWordWrap(true);
  message_->setMargin(24);
  message_->setTextFormat(Qt::RichText);
  addWidget(message_);
  connect(message_, &QLabel::linkActivated, document, &Document::run_passes);
  addWidget(content);
  connect(document, &Document::stageChanged, this, [this](Stage changed) {
    if (changed == stage_) show_state();
  });
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &StagePage::show_state);
  show_state();
}

void StagePage::show_state() {
  const auto paragraph = [](const QColor& color, const QString& text) {
    return QString("<p style='color:%1'>%2</p>").arg(color.name(), text.toHtmlEscaped());
  };
  const Theme& t = theme();
  const QString again = QString("<p><a href='again' style='color:%1'>%2</a></p>")
                            .arg(t.accent.name(), tr("Run the passes again"));
  message_->setStyleSheet(QString("background: %1").arg(t.surface.name()));
  switch (document_->state(stage_)) {
    case StageState::Ready:
      setCurrentIndex(1);
      return;
    case StageState::Empty:
      if (stage_ == Stage::Model && document_->can_run_passes())
        message_->setText(paragraph(t.muted, tr("The graph passes were stopped before they were done.")) + again);
      else
        message_->setText(paragraph(t.muted, empty_));
      break;
    case StageState::Working:
      message_->setText(paragraph(t.muted, tr("Working…")));
      break;
    case StageState::Failed: {
      const Diagnostic& problem = *document_->problem(stage_);
      QString text = paragraph(t.error, "✕ " + QString::fromStdString(code_name(problem.code))) +
                     paragraph(t.text, QString::fromStdString(problem.what));
      for (const std::string& more : {problem.where, problem.hint})
        if (!more.empty()) text += paragraph(t.muted, QString::fromStdString(more));
      if (stage_ == Stage::Model && document_->can_run_passes()) text += again;
      message_->setText(text);
      break;
    }
  }
  setCurrentIndex(0);
}

}  // namespace loopglass::views
