// Asks for the extents that a model leaves open, each symbol once. An input without any declared
// shape is asked for its whole shape.
#pragma once

#include "core/onnx/import.h"

#include <QDialog>

#include <map>
#include <vector>

class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace loopglass::app {

class ShapeDialog : public QDialog {
  Q_OBJECT

 public:
  // Filled in with what `known` says, else with the defaults.
  ShapeDialog(const QString& title, const std::vector<onnx::Signature>& inputs,
              const std::map<std::string, Shape>& known, QWidget* parent);

  std::map<std::string, Shape> shapes() const;

 private:
  void add_symbols(QFormLayout* form, const std::map<std::string, Shape>& known);
  void add_unranked(QFormLayout* form, const std::map<std::string, Shape>& known);
  void show_shapes();

  std::vector<onnx::Signature> inputs_;
  std::map<std::string, QSpinBox*> extents_;    // by symbol
  std::map<std::string, QLineEdit*> unranked_;  // by input
  QLabel* preview_;
  QPushButton* open_;
};

}  // namespace loopglass::app
