// Asks for the extents that a model leaves open, each symbol once. An input without any declared
// shape is asked for its whole shape. One that is a whole number may have a value that is always
// the same.
#pragma once

#include "core/onnx/import.h"
#include "core/onnx/input_bindings.h"

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
              const onnx::InputBindings& known, QWidget* parent);

  onnx::InputBindings bindings() const;

 private:
  void add_symbols(QFormLayout* form, const onnx::InputBindings& known);
  void add_unranked(QFormLayout* form, const onnx::InputBindings& known);
  void add_settings(QFormLayout* form, const onnx::InputBindings& known);
  void show_bindings();

  std::vector<onnx::Signature> inputs_;
  std::map<std::string, QSpinBox*> extents_;    // by symbol
  std::map<std::string, QLineEdit*> unranked_;  // by input
  std::map<std::string, QLineEdit*> settings_;  // by input
  QLabel* preview_;
  QPushButton* open_;
};

}  // namespace loopglass::app
