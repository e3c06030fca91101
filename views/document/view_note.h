// Says of a kernel that is never run that it is not: above its loop nest and machine code.
#pragma once

#include "views/document/document.h"

#include <QLabel>

namespace loopglass::views {

class ViewNote : public QLabel {
  Q_OBJECT

 public:
  explicit ViewNote(Document* document, QWidget* parent = nullptr);

 private:
  void follow();

  Document* document_;
};

}  // namespace loopglass::views
