// What was measured of the lines of schedule scripts, kernel by kernel, and shown beside them: the
// speed after each line, how much quicker that is than before it, and what is in the way then.
#pragma once

#include "core/measure/script_times.h"
#include "views/document/document.h"

#include <QObject>

#include <map>
#include <optional>
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
  // In the margin. What was measured before the script was changed stands beside the lines that
  // were there: as it is where they begin as they did, for it holds, else greyed.
  void show(const std::string& workload);
  // " · 0.8 → 104 GFLOP/s on 2 threads (98 before the change)"; empty: nothing was measured.
  QString words(const std::string& workload) const;
  // After the last line up to this one that changes the nest; null: it was not measured, or of
  // another script.
  const std::vector<schedule::LimitRemark>* limits(const std::string& workload, int line) const;

 signals:
  void changed();

 private:
  enum class Progress : std::uint8_t { Measuring, Cancelled, Done };
  struct Run {
    QString script;  // that it is of
    measure::ScriptTimes times;
    Progress progress = Progress::Done;
  };
  struct Times {
    Run last;
    std::optional<Run> before;  // of another script, to the end
  };

  void begin(const std::string& workload, const QString& script);
  void end_early(const std::string& workload);
  bool is_of_text(const Run& run) const;  // of what stands in the pane, but for comments and blanks

  Document* document_;
  CodePane* pane_;
  std::map<std::string, Times> times_;  // by workloads
};

}  // namespace loopglass::views
