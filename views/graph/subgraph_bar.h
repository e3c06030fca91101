// Where one is inside a model whose operators run graphs of their own: the model, and each graph on
// the way, as buttons that lead back there. Hidden while the model's own graph is shown.
#pragma once

#include <QWidget>

class QHBoxLayout;

namespace loopglass::views {

class Document;

class SubgraphBar : public QWidget {
  Q_OBJECT

 public:
  explicit SubgraphBar(Document* document, QWidget* parent = nullptr);

 private:
  void refresh();

  Document* document_;
  QHBoxLayout* row_;
};

}  // namespace loopglass::views
