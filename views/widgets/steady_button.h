// A button whose text changes, and which is as wide as any of its texts would make it: what stands
// beside it stays where it is.
#pragma once

#include <QStringList>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace loopglass::views {

class SteadyButton : public QToolButton {
 public:
  using QToolButton::QToolButton;
  void set_texts(QStringList texts) {
    texts_ = std::move(texts);
    updateGeometry();
  }

  QSize sizeHint() const override {
    QSize size = QToolButton::sizeHint();
    // As the button measures its own.
    const auto width = [&](const QString& words) {
      return fontMetrics().size(Qt::TextShowMnemonic, words).width();
    };
    const int now = width(text());
    int widest = now;
    for (const QString& words : texts_) widest = std::max(widest, width(words));
    size.rwidth() += widest - now;
    return size;
  }
  QSize minimumSizeHint() const override { return sizeHint(); }

 private:
  QStringList texts_;
};

}  // namespace loopglass::views
