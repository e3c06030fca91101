#include "app/window/error_banner.h"

#include "app/window/wrapped_text.h"
#include "views/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QToolButton>

#include <algorithm>

namespace loopglass::app {

ErrorBanner::ErrorBanner(QWidget* over)
    : QFrame(over->window()), over_(over), text_(new WrappedText) {
  setObjectName("errorBanner");
  text_->setObjectName("errorText");
  auto* close = new QToolButton;
  close->setText("✕");
  close->setToolTip(tr("Dismiss"));
  close->setAutoRaise(true);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 6, 6, 6);
  layout->addWidget(text_, 1);
  layout->addWidget(close, 0, Qt::AlignTop);
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  connect(&views::ThemeNotifier::instance(), &views::ThemeNotifier::changed, this,
          &ErrorBanner::apply_theme);
  over->installEventFilter(this);
  apply_theme();
  hide();
}

bool ErrorBanner::eventFilter(QObject* watched, QEvent* event) {
  if (watched == over_ && (event->type() == QEvent::Resize || event->type() == QEvent::Move))
    place();
  return QFrame::eventFilter(watched, event);
}

void ErrorBanner::place() {
  const QPoint foot = over_->mapTo(window(), QPoint(0, over_->height()));
  const int height = layout()->totalHeightForWidth(over_->width());
  setGeometry(foot.x(), std::max(0, foot.y() - height), over_->width(), height);
}

void ErrorBanner::apply_theme() {
  const views::Theme& t = views::theme();
  setStyleSheet(QString("#errorBanner { background: %1; border-left: 4px solid %2; border-top: 1px "
                        "solid %3; } #errorText { background: transparent; }")
                    .arg(t.raised.name(), t.error.name(), t.border.name()));
  write();
}

void ErrorBanner::show_diagnostic(const Diagnostic& diagnostic) {
  shown_ = diagnostic;
  write();
  place();
  raise();
  show();
}

void ErrorBanner::write() {
  if (!shown_) return;
  const Diagnostic& diagnostic = *shown_;
  const views::Theme& t = views::theme();
  const auto escaped = [](const std::string& text) {
    return QString::fromStdString(text).toHtmlEscaped().replace('\n', "<br>");
  };
  // Behind its first line, what a person wrote, with a caret under the place.
  const std::size_t end = std::min(diagnostic.what.find('\n'), diagnostic.what.size());
  QString text = QString("<b style='color:%1'>%2</b> &nbsp;%3")
                     .arg(t.error.name(), escaped(code_name(diagnostic.code)),
                          escaped(diagnostic.what.substr(0, end)));
  if (end < diagnostic.what.size())
    text += QString("<pre style=\"font-family:'%1';margin:0\">%2</pre>")
                .arg(t.code_font().families().join("','"),
                     QString::fromStdString(diagnostic.what.substr(end + 1)).toHtmlEscaped());
  for (const std::string& more : {diagnostic.where, diagnostic.hint})
    if (!more.empty())
      text += QString("<br><span style='color:%1'>%2</span>").arg(t.muted.name(), escaped(more));
  text_->set_rich_text(text);
}

}  // namespace loopglass::app
