// What was measured of the lines of schedule scripts, kernel by kernel, and shown beside them: the
// speed after each line, how much quicker that is than before it, and what is in the way then.
#pragma once

#include "core/measure/script_times.h"
#include "views/document/document.h"

#include <QObject>

#include <map>
#include <string>
#include <vector>

namespace loopglass::views {

class CodePane;

class LineTimes : public QObject {
  Q_OBJECT

 public:
  LineTimes(Document* document, CodePane* pane, QObject* parent);

  // Of the kernel with this workload, which is shown: each line after the other, in the background.
  void measure(const std::string& workload);
  // In the margin. What was measured of another script stands beside the lines that both begin
  // with, greyed.
  void show(const std::string& workload);
  // " · 0.8 → 104 GFLOP/s on 2 threads"; empty: nothing was measured.
  QString words(const std::string& workload) const;
  // After the last line up to this one that changes the nest; null: it was not measured, or of
  // another script.
  const std::vector<schedule::LimitRemark>* limits(const std::string& workload, int line) const;

 signals:
  void changed();

 private:
  struct Times {
    QString script;  // that they are of
    std::vector<measure::LineTime> lines;
  };

  Document* document_;
  CodePane* pane_;
  std::map<std::string, Times> times_;  // what was measured last, by workloads
};

}  // namespace loopglass::views
