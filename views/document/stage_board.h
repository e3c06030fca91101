// Where each stage of the document stands: nothing, working, ready, or what went wrong.
#pragma once

#include "core/support/result.h"

#include <QObject>

#include <array>
#include <cstdint>
#include <optional>

namespace loopglass::views {

enum class Stage : std::uint8_t { Model, Dominators, Plan, Kernel, MachineCode, Benchmark, Memory };
enum class StageState : std::uint8_t { Empty, Working, Ready, Failed };

class StageBoard : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  StageState state(Stage stage) const { return records_[index(stage)].state; }
  const Diagnostic* problem(Stage stage) const;  // non-null iff Failed
  void set(Stage stage, StageState state, std::optional<Diagnostic> problem = {});
  void fail(Stage stage, const Diagnostic& diagnostic);
  // What was asked of a stage that stays as it is; not that it was cancelled.
  void report(const Diagnostic& diagnostic);
  void leave_work();  // what was working becomes empty

 signals:
  void stageChanged(Stage stage);
  void gaveUp(Stage stage);  // its work failed or was cancelled; comes first
  void failed(const Diagnostic& diagnostic);

 private:
  static std::size_t index(Stage stage) { return static_cast<std::size_t>(stage); }
  struct Record {
    StageState state = StageState::Empty;
    std::optional<Diagnostic> problem;
  };
  std::array<Record, 7> records_;
};

}  // namespace loopglass::views
