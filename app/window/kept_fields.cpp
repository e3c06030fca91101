#include "app/window/kept_fields.h"

#include "views/widgets/kept_value.h"

#include <QComboBox>
#include <QSettings>
#include <QSpinBox>

namespace loopglass::app {
namespace {

QVariant value_of(const QWidget& field) {
  if (const auto* box = qobject_cast<const QComboBox*>(&field)) return box->currentText();
  return qobject_cast<const QSpinBox*>(&field)->value();
}

// What is out of its range, or not among its choices, is not set.
void set_value(QWidget& field, const QVariant& value) {
  if (auto* box = qobject_cast<QComboBox*>(&field)) {
    if (const int index = box->findText(value.toString()); index >= 0) box->setCurrentIndex(index);
  } else if (auto* number = qobject_cast<QSpinBox*>(&field)) {
    bool is_number = false;
    if (const int wanted = value.toInt(&is_number);
        is_number && wanted >= number->minimum() && wanted <= number->maximum())
      number->setValue(wanted);
  }
}

}  // namespace

KeptFields::KeptFields(QWidget* window, const QSettings& settings, QObject* parent)
    : QObject(parent) {
  for (QWidget* widget : window->findChildren<QWidget*>()) {
    if (!widget->property(views::kept_value_property).toBool()) continue;
    const Field field{widget, "fields/" + widget->objectName(), value_of(*widget)};
    fields_.push_back(field);
    if (settings.contains(field.key)) set_value(*widget, settings.value(field.key));
    if (auto* box = qobject_cast<QComboBox*>(widget))
      connect(box, &QComboBox::currentIndexChanged, this, &KeptFields::changed);
    else if (auto* number = qobject_cast<QSpinBox*>(widget))
      connect(number, &QSpinBox::valueChanged, this, &KeptFields::changed);
  }
}

void KeptFields::save(QSettings* settings) const {
  for (const Field& field : fields_) {
    const QVariant value = value_of(*field.widget);
    if (value == field.initial) settings->remove(field.key);
    else settings->setValue(field.key, value);
  }
}

}  // namespace loopglass::app
