#include "app/window/wrapped_text.h"

#include <QTextDocument>

#include <algorithm>
#include <cmath>
#include <memory>

namespace loopglass::app {
namespace {

constexpr int most_lines = 14;  // of more, one scrolls

}  // namespace

WrappedText::WrappedText(QWidget* parent) : QTextBrowser(parent) {
  setFrameShape(QFrame::NoFrame);
  setOpenLinks(false);
  setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  document()->setDocumentMargin(0);
  viewport()->setAutoFillBackground(false);
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void WrappedText::set_rich_text(const QString& text) {
  setHtml(text);
  updateGeometry();
}

int WrappedText::heightForWidth(int width) const {
  const std::unique_ptr<QTextDocument> copy(document()->clone());
  copy->setDefaultFont(font());
  copy->setTextWidth(std::max(1, width));
  const int whole = static_cast<int>(std::ceil(copy->size().height()));
  return std::min(whole, most_lines * fontMetrics().lineSpacing());
}

QSize WrappedText::sizeHint() const {
  constexpr int usual = 400;
  const int width = std::max(this->width(), usual);
  return {usual, heightForWidth(width)};
}

QSize WrappedText::minimumSizeHint() const { return {40, fontMetrics().height()}; }

}  // namespace loopglass::app
