// A place in the history to choose: from the list of passes, or typed ("3:2", "simplify#2").
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QComboBox;

namespace loopglass::views {

class PlaceBox : public QWidget {
  Q_OBJECT

 public:
  // `begin` is shown until a person chooses: "input", "last".
  PlaceBox(Document* document, QString begin, QWidget* parent = nullptr);

  QString text() const;
  void set_text(const QString& text);
  // UsageInvalid: nothing in the history is called so.
  Result<pass::Position> place() const;

 signals:
  void changed();

 private:
  void fill();

  Document* document_;
  QString begin_;
  QComboBox* box_;
};

}  // namespace loopglass::views
