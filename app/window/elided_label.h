// A line of text in as much room as there is: what does not fit is left out in its middle, where
// paths and commands say least, and told by a tool tip. It never makes its window wider.
#pragma once

#include <QLabel>

namespace loopglass::app {

class ElidedLabel : public QLabel {
 public:
  // Wants no more room than this; 0: all that its text takes.
  explicit ElidedLabel(int widest = 0, QWidget* parent = nullptr);

  void set_full_text(const QString& text);
  const QString& full_text() const { return full_; }
  bool is_cut() const { return text() != full_; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();

  QString full_;
  int widest_;
};

}  // namespace loopglass::app
