#include "app/window/shape_dialog.h"

#include "app/common/model_argument.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/text_size.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace loopglass::app {
namespace {

using views::text;

// Where a symbol stands: "images, axis 0", "ids and mask, axis 1", "ids, axes 0 and 2".
QString places(const std::string& symbol, const std::vector<onnx::Signature>& inputs) {
  QStringList places;
  for (const onnx::Signature& input : inputs)
    for (std::size_t axis = 0; axis < input.shape.size(); ++axis)
      if (input.shape[axis].symbol == symbol)
        places << QObject::tr("%1[%2]").arg(text(input.name)).arg(axis);
  constexpr qsizetype most = 2;
  const qsizetype count = places.size();
  QString words = places.mid(0, most).join(", ");
  if (count > most) words += QObject::tr(" and %1 more").arg(count - most);
  return words;
}

// Made-up names, of exporters or ours, say nothing that the place does not.
bool is_telling(const std::string& symbol) { return symbol.find('.') == std::string::npos; }

std::optional<Shape> parsed(const QString& shape) {
  auto shapes = parse_shapes({"input=" + shape.trimmed().toStdString()});
  if (!shapes) return {};
  return shapes->at("input");
}

std::optional<std::int64_t> whole_number(const QString& words) {
  bool is_whole = false;
  const std::int64_t value = words.trimmed().toLongLong(&is_whole);
  return is_whole ? std::optional(value) : std::nullopt;
}

}  // namespace

ShapeDialog::ShapeDialog(const QString& title, const std::vector<onnx::Signature>& inputs,
                         const onnx::InputBindings& known, QWidget* parent)
    : QDialog(parent), inputs_(inputs), preview_(new QLabel) {
  setObjectName("shapeDialog");
  setWindowTitle(tr("Shapes of %1").arg(title));
  auto* words = new QLabel(
      tr("%1 leaves these open. Networks are compiled for one shape, kernels written as text for "
         "all. File > Input Shapes changes it later.")
          .arg(title));
  words->setTextFormat(Qt::PlainText);
  words->setWordWrap(true);
  auto* fields = new QWidget;
  auto* form = new QFormLayout(fields);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  add_symbols(form, known);
  add_unranked(form, known);
  add_settings(form, known);
  auto* scroll = new QScrollArea;  // some models have a hundred inputs
  scroll->setWidget(fields);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  preview_->setObjectName("shapePreview");
  views::use_code_font(preview_);
  preview_->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  open_ = buttons->addButton(tr("&Open"), QDialogButtonBox::AcceptRole);
  open_->setDefault(true);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* column = new QVBoxLayout(this);
  column->addWidget(words);
  column->addWidget(scroll, 1);
  column->addWidget(preview_);
  column->addWidget(buttons);
  resize(std::max(460, sizeHint().width()),
         std::min(560, fields->sizeHint().height() + words->sizeHint().height() + 160));
  // Typing goes to the first of them.
  if (auto* first = fields->findChild<QSpinBox*>()) {
    first->setFocus();
    first->selectAll();
  }
  show_bindings();
}

void ShapeDialog::add_symbols(QFormLayout* form, const onnx::InputBindings& known) {
  for (const onnx::Signature& input : inputs_) {
    const auto shape = known.shapes.find(input.name);
    const bool fits = shape != known.shapes.end() && shape->second.size() == input.shape.size();
    for (std::size_t axis = 0; axis < input.shape.size(); ++axis) {
      const std::string& symbol = input.shape[axis].symbol;
      if (symbol.empty() || extents_.contains(symbol)) continue;
      auto* extent = new QSpinBox;
      extent->setRange(0, std::numeric_limits<int>::max());
      const auto set = known.symbols.find(symbol);
      const std::int64_t value = fits                         ? shape->second[axis]
                                 : set != known.symbols.end() ? set->second
                                                              : onnx::default_extent(input, axis);
      extent->setValue(static_cast<int>(std::min<std::int64_t>(value, extent->maximum())));
      extent->setToolTip(text(symbol));
      extents_[symbol] = extent;
      const QString where = places(symbol, inputs_);
      auto* label = new QLabel(is_telling(symbol) ? tr("%1 (%2)").arg(text(symbol), where) : where);
      label->setWordWrap(true);  // names of inputs are long
      form->addRow(label, extent);
      connect(extent, &QSpinBox::valueChanged, this, &ShapeDialog::show_bindings);
    }
  }
}

void ShapeDialog::add_unranked(QFormLayout* form, const onnx::InputBindings& known) {
  for (const onnx::Signature& input : inputs_) {
    if (input.ranked || !input.opaque.empty()) continue;
    auto* shape = new QLineEdit;
    views::use_code_font(shape);
    shape->setPlaceholderText("1x3x224x224");
    if (const auto given = known.shapes.find(input.name); given != known.shapes.end())
      shape->setText(text(loopglass::to_string(given->second)));
    unranked_[input.name] = shape;
    form->addRow(tr("%1 (whole shape)").arg(text(input.name)), shape);
    connect(shape, &QLineEdit::textChanged, this, &ShapeDialog::show_bindings);
  }
}

void ShapeDialog::add_settings(QFormLayout* form, const onnx::InputBindings& known) {
  for (const std::string& name : onnx::settings_among(inputs_)) {
    auto* value = new QLineEdit;
    views::use_code_font(value);
    value->setPlaceholderText(tr("given when it runs"));
    value->setToolTip(tr("A whole number that is always the same becomes a constant of the graph"));
    if (const auto given = known.symbols.find(name); given != known.symbols.end())
      value->setText(QString::number(given->second));
    value->setObjectName(text(name));
    settings_[name] = value;
    form->addRow(tr("%1 (whole number)").arg(text(name)), value);
    connect(value, &QLineEdit::textChanged, this, &ShapeDialog::show_bindings);
  }
}

onnx::InputBindings ShapeDialog::bindings() const {
  std::map<std::string, std::int64_t> extents;
  for (const auto& [symbol, extent] : extents_) extents[symbol] = extent->value();
  onnx::InputBindings bound{onnx::open_shapes(inputs_, extents), {}};
  // Few names say as much as the shapes of many inputs.
  if (extents.size() < bound.shapes.size() &&
      std::ranges::all_of(extents, is_telling, [](const auto& entry) { return entry.first; }))
    bound = {{}, extents};
  for (const auto& [input, edit] : unranked_)
    if (auto shape = parsed(edit->text())) bound.shapes[input] = *std::move(shape);
  for (const auto& [input, edit] : settings_)
    if (const auto value = whole_number(edit->text())) bound.symbols[input] = *value;
  return bound;
}

// As the command line has it, and only what is complete can be opened.
void ShapeDialog::show_bindings() {
  QStringList words;
  for (const std::string& option : onnx::options_of(bindings())) words << text(option);
  preview_->setText(words.join(' '));
  open_->setEnabled(
      std::ranges::all_of(
          unranked_, [](const auto& entry) { return parsed(entry.second->text()).has_value(); }) &&
      std::ranges::all_of(settings_, [](const auto& entry) {
        return entry.second->text().trimmed().isEmpty() || whole_number(entry.second->text());
      }));
}

}  // namespace loopglass::app
