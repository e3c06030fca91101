// Rich text to be read and copied, as high as it takes in its width, within reason: words without
// end, such as paths, are broken anywhere, which labels cannot.
#pragma once

#include <QTextBrowser>

namespace loopglass::app {

class WrappedText : public QTextBrowser {
 public:
  explicit WrappedText(QWidget* parent = nullptr);

  void set_rich_text(const QString& text);

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
};

}  // namespace loopglass::app
