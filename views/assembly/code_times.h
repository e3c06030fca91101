// Where a kernel's time goes, instruction by instruction: measured when somebody asks, and shown
// beside the lines of its assembly for as long as it is that kernel's.
#pragma once

#include "core/measure/code_profile.h"
#include "views/document/document.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace loopglass::views {

class CodeTimes : public QObject {
  Q_OBJECT

 public:
  CodeTimes(Document* document, QObject* parent);

  // Whether the kernel that is shown can be measured now.
  bool can_measure() const;
  // In a worker, in the background.
  void measure();
  // Of the machine code that is shown; null: nobody has measured it.
  const measure::CodeProfile* profile() const;
  // Of the same, most first.
  const std::vector<measure::CodeRegion>& regions() const { return regions_; }
  // "345 µs a run, 98 % of it in lines 117 to 165, an innermost loop"; empty: nobody has measured
  // it.
  QString words() const;

 signals:
  void changed();

 private:
  Document* document_;
  std::shared_ptr<const codegen::KernelListings> of_;  // what was measured last
  measure::CodeProfile profile_;
  std::vector<measure::CodeRegion> regions_;
};

}  // namespace loopglass::views
