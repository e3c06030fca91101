// A drawing on the card of an edge: as wide as it is given, and as high as it then needs.
#pragma once

#include "views/theme.h"

#include <QPainter>
#include <QWidget>

namespace loopglass::views {

class CardDrawing : public QWidget {
 public:
  explicit CardDrawing(QWidget* parent = nullptr) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { redraw(); });
  }

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return draw(nullptr, width); }
  QSize sizeHint() const override { return {comfortable, heightForWidth(comfortable)}; }
  QSize minimumSizeHint() const override { return {least, 0}; }

 protected:
  // Returns the height; without a painter it only measures.
  virtual int draw(QPainter* painter, int width) const = 0;

  void redraw() {
    updateGeometry();
    update();
  }
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    draw(&painter, width());
  }

 private:
  static constexpr int comfortable = 420, least = 160;
};

// A colour as a fill that text is read upon, in either theme.
inline QColor faint(QColor color) {
  color.setAlphaF(0.28F);
  return color;
}

}  // namespace loopglass::views
