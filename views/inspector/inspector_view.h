// Everything known about the selection: an operator's documentation, attributes and types, its ONNX
// origin, the fusion decisions on its edges; a kernel's members and speed; a line's relations. With
// nothing selected, the model.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QTextBrowser;
class QUrl;

namespace loopglass::views {

class InspectorView : public QWidget {
  Q_OBJECT

 public:
  explicit InspectorView(Document* document, QWidget* parent = nullptr);

 private:
  void refresh_later();
  void refresh();
  void follow_link(const QUrl& url);

  Document* document_;
  QTextBrowser* text_;
  bool refresh_pending_ = false;
};

}  // namespace loopglass::views
