// What a person has said about knobs, to be taken back by a click.
#pragma once

#include "core/tune/steering.h"

#include <QWidget>

#include <vector>

namespace loopglass::views {

class WrapLayout;

class SteeringBar : public QWidget {
  Q_OBJECT

 public:
  explicit SteeringBar(QWidget* parent = nullptr);
  void show_rules(const std::vector<tune::KnobRule>& rules);  // none: it is not to be seen

 signals:
  void ruleDropped(int number);

 private:
  std::vector<tune::KnobRule> rules_;
  WrapLayout* row_;
};

// Asks at this point of the screen what is to become of a knob's value. False: it stays as it is.
bool ask_for_rule(QWidget* parent, const QPoint& at, const std::string& knob,
                  const std::string& value, std::vector<tune::KnobRule>& rules);

}  // namespace loopglass::views
