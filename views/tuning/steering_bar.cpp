#include "views/tuning/steering_bar.h"

#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/wrap_layout.h"

#include <QLabel>
#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace loopglass::views {

using Kind = tune::KnobRule::Kind;

SteeringBar::SteeringBar(QWidget* parent) : QWidget(parent), row_(new WrapLayout(4, this)) {
  setObjectName("steeringBar");
  row_->setContentsMargins(8, 0, 8, 2);
  hide();
}

void SteeringBar::show_rules(const std::vector<tune::KnobRule>& rules) {
  setVisible(!rules.empty());
  if (rules == rules_) return;
  rules_ = rules;
  while (QLayoutItem* item = row_->takeAt(0)) {
    if (QWidget* widget = item->widget()) widget->deleteLater();
    delete item;
  }
  if (rules.empty()) return;
  row_->addWidget(new QLabel(tr("Only points with")));
  for (int number = 0; number < std::ssize(rules); ++number) {
    const tune::KnobRule& rule = rules[static_cast<std::size_t>(number)];
    auto* chip = new QToolButton;
    chip->setText(QString(rule.kind == Kind::Pin ? "%1 %2  ✕" : tr("%1 not %2  ✕"))
                      .arg(text(rule.knob), text(rule.value)));
    chip->setToolTip(tr("Takes it back"));
    chip->setObjectName("steeringRule");
    connect(chip, &QToolButton::clicked, this, [this, number] { emit ruleDropped(number); });
    row_->addWidget(chip);
  }
}

bool ask_for_rule(QWidget* parent, const QPoint& at, const std::string& knob,
                  const std::string& value, std::vector<tune::KnobRule>& rules) {
  const auto known = std::ranges::find_if(
      rules, [&](const tune::KnobRule& rule) { return rule.knob == knob && rule.value == value; });
  QMenu menu(parent);
  menu.setObjectName("knobMenu");
  const QString words = QString("%1 %2").arg(text(knob), text(value));
  QAction* pin = menu.addAction(QObject::tr("&Pin %1").arg(words));
  QAction* forbid = menu.addAction(QObject::tr("&Forbid %1").arg(words));
  QAction* release = menu.addAction(QObject::tr("&Release"));
  pin->setEnabled(known == rules.end() || known->kind != Kind::Pin);
  forbid->setEnabled(known == rules.end() || known->kind != Kind::Forbid);
  release->setEnabled(known != rules.end());
  const QAction* chosen = menu.exec(at);
  if (!chosen) return false;
  if (known != rules.end()) rules.erase(known);
  if (chosen == pin) rules.push_back({Kind::Pin, knob, value});
  if (chosen == forbid) rules.push_back({Kind::Forbid, knob, value});
  return true;
}

}  // namespace loopglass::views
