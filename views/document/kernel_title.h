// Which kernel a text pane shows, above its text: "Kernel 3, conv1 + relu1".
#pragma once

#include "views/document/document.h"

#include <QLabel>

namespace loopglass::views {

class KernelTitle : public QLabel {
  Q_OBJECT

 public:
  explicit KernelTitle(Document* document, QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;  // as much of it as there is room for

 private:
  void follow();

  Document* document_;
};

}  // namespace loopglass::views
