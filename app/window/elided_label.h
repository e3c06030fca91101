// A line of text in as much room as there is: what does not fit is left out and told by a tool tip.
// It never makes its window wider.
#pragma once

#include <QLabel>

namespace loopglass::app {

class ElidedLabel : public QLabel {
 public:
  // Wants no more room than this; 0: all that its text takes.
  explicit ElidedLabel(int widest = 0, QWidget* parent = nullptr);

  // Left out is its middle, where paths and commands say least.
  void set_full_text(const QString& text) { set_parts({text}, Qt::ElideMiddle); }
  // Left out are whole parts from the last one on, then the end of the first.
  void set_parts(const QStringList& parts) { set_parts(parts, Qt::ElideRight); }
  const QString& full_text() const { return full_; }
  bool is_cut() const { return text() != full_; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void set_parts(const QStringList& parts, Qt::TextElideMode mode);
  void fit();

  QStringList parts_;
  QString full_;
  Qt::TextElideMode mode_ = Qt::ElideMiddle;
  int widest_;
};

}  // namespace loopglass::app
