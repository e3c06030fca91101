// The one object that knows the compiler. It owns the Session, asks it for results in background
// jobs, and keeps what has arrived as immutable shared values that views may hold on to. A view
// reads from here, listens to the signals, and knows no other view.
//
// Signals are in Qt's spelling (stepChanged); everything else in ours.
#pragma once

#include "core/fusion/compare.h"
#include "core/fusion/saving.h"
#include "core/pass/position.h"
#include "core/saved_session.h"
#include "core/session.h"
#include "views/document/asked_history.h"
#include "views/document/jobs.h"
#include "views/document/kernel_steps.h"
#include "views/document/selection.h"

#include <QObject>
#include <QString>

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace loopglass::views {

class Debugger;

enum class Stage : std::uint8_t { Model, Dominators, Plan, Kernel, MachineCode, Benchmark, Memory };
enum class StageState : std::uint8_t { Empty, Working, Ready, Failed };

// Ways through a history. A pass is one step of it; a rewrite is a place inside one.
enum class Walk : std::uint8_t { PassForward, PassBack, RewriteForward, RewriteBack, Start, End };
// Where a walk leads; nullopt: nowhere. `only_changes`: not to passes that changed nothing, but for
// the first and the last step.
std::optional<pass::Position> walked(const pass::GraphHistory& history, pass::Position from,
                                     Walk walk, bool only_changes = false);
// The place just before: of a step the step before it, of a rewrite the rewrite before it; nullopt
// at the start.
std::optional<pass::Position> place_before(const pass::GraphHistory& history, pass::Position place);

// Where a model comes from: a file, or something that makes one (a sample, on first use).
struct ModelSource {
  QString title;
  std::function<Result<onnx::Source>()> locate;  // called in a job
  std::map<std::string, Shape> shapes;           // bindings of symbolic inputs
  QString argument = {};                         // what to call it on the command line
  // Graphs inside operators, from the outermost: "loop1.body", "if2.then_branch". The last is
  // shown.
  std::vector<std::string> subgraphs = {};
  // Whether whoever opens it wants to be asked first for the dimensions that it leaves open.
  bool ask_for_shapes = false;
  // Another graph of the model that is open: breakpoints and bookmarks, which are the model's, stay
  // as they are.
  bool is_other_graph = false;
  // What was asked of it and where one stood, when it is opened as it was left; null: as it comes.
  std::shared_ptr<const SavedSession> resume = nullptr;
};
QString title_of(const ModelSource& source);  // of the model and the graph inside it
// As --subgraph takes it: "loop1.body/if2.then_branch".
std::string subgraph_path(const ModelSource& source);

class Document : public QObject {
  Q_OBJECT

 public:
  explicit Document(Toolchain toolchain, SessionOptions options = {}, QObject* parent = nullptr);
  ~Document() override;

  // What is open stays until the other model has been read, and stays open where that fails.
  void open(ModelSource source);
  void open(const std::filesystem::path& path);
  void close();
  void cancel_work();  // stops every job; what was working becomes empty
  // Opens a graph that an operator of the graph shown runs, "if2.then_branch", in its place; and
  // goes back until only so many are open (0: the model's own).
  void open_subgraph(const std::string& name);
  void leave_subgraphs(std::size_t depth);
  // Asked for a graph that is about to be opened so: how it was left, if it was open before.
  using Recall = std::function<std::shared_ptr<const SavedSession>(const ModelSource&)>;
  void set_recall(Recall recall) { recall_ = std::move(recall); }
  QString title() const;  // title_of(source()); empty when none is open
  const ModelSource& source() const { return source_; }

  Selection& selection() const { return *selection_; }
  JobQueue& jobs() const { return *jobs_; }
  Debugger& debugger() const { return *debugger_; }
  const Toolchain& toolchain() const { return toolchain_; }
  // Where networks are timed; null: in this process.
  const std::shared_ptr<measure::WorkerPool>& workers() const { return options_.workers; }

  StageState state(Stage stage) const;
  const Diagnostic* problem(Stage stage) const;  // non-null iff Failed

  // What derives everything; for jobs of views. Null until a model is read.
  std::shared_ptr<Session> session() const { return session_; }

  // Stage 1 and 2. Null until ready.
  std::shared_ptr<const onnx::Model> model() const { return model_; }
  std::shared_ptr<const pass::GraphHistory> history() const { return history_; }
  // The pipeline of graph passes as text, and what else a person sets for them.
  std::string pipeline() const;
  Result<void> set_pipeline(const std::string& text);  // refused: the old one stays
  pass::Settings settings() const;
  void set_settings(const pass::Settings& settings);
  // Whether the passes were stopped or failed, so that there is a model without a history.
  bool can_run_passes() const;
  void run_passes();

  // Where in the history the window is. The graph in the middle of a step comes from a job: the
  // position changes when it has arrived. Positions are clamped.
  const pass::Position& position() const { return position_; }
  void set_position(pass::Position position);
  // Where the window is about to be, when that graph is still on its way.
  const pass::Position& wanted_position() const { return wanted_position_; }
  bool is_walking() const { return wanted_position_ != position_; }
  bool can_walk(Walk walk) const;  // from where the window is, or is about to be
  void walk(Walk walk);
  // Whether walks pass over what changes nothing.
  bool walks_changes_only() const { return walks_changes_only_; }
  void set_walks_changes_only(bool only);
  std::size_t step() const { return position_.step; }
  void set_step(std::size_t step) { set_position({step}); }
  // The graph at the position, and the last one (which the plan is about).
  std::shared_ptr<const graph::Graph> graph() const { return graph_; }
  std::shared_ptr<const graph::Graph> last_graph() const;

  // What the graph at the position is compared with: a place that was pinned, else the place
  // before.
  std::shared_ptr<const graph::Graph> base_graph() const { return base_graph_; }  // null: nothing
  std::optional<pass::Position> base() const;
  const std::optional<pass::Position>& pinned_base() const { return pinned_base_; }
  void pin_base(std::optional<pass::Position> place);

  // What plans are weighed by; never null. Another one weighs the plan there is anew.
  std::shared_ptr<const fusion::CostModel> cost_model() const { return cost_model_; }
  void set_cost_model(std::shared_ptr<const fusion::CostModel> cost_model);

  // Stage 3, of the graph at the position.
  std::shared_ptr<const graph::DominatorTree> dominators(graph::Direction direction) const;

  // Stage 4. What a person asks of the plan and cannot be comes to nothing: all is as it was for
  // the last plan that could be, and planRefused() says why, with the reason's code.
  const PlanAsked& plan_asked() const { return asked().plan; }
  QString strategy() const;
  void set_strategy(const QString& strategy);
  std::shared_ptr<const fusion::Plan> plan() const { return plan_; }
  // What the plan amounts to; there when the plan is.
  const fusion::PlanSummary* plan_summary() const { return plan_ ? &plan_summary_ : nullptr; }
  // What its kernels save against one for each operator.
  const fusion::Saving& plan_saving() const { return plan_saving_; }
  const Diagnostic* plan_refusal() const;  // until something else is asked; null: none
  // Edges that a person wants fused or apart, by nodes of the last graph; they go when other passes
  // are asked for, and come back with the old ones.
  const fusion::Constraints& constraints() const { return plan_asked().constraints; }
  void set_constraints(fusion::Constraints constraints);
  // A person's own partition, as edits over the plan of a strategy, which strategy "manual" makes.
  // They go by names, so they stay when another graph comes; where they no longer fit it, the
  // strategy they began with stands in.
  const fusion::EditScript& edits() const { return plan_asked().edits; }
  void set_edits(fusion::EditScript script);  // without any left: their base is the strategy again
  // To the partition that is shown: under another strategy than that of the edits they begin anew.
  void add_edits(std::vector<fusion::Edit> edits);
  void add_edit(fusion::Edit edit) { add_edits({std::move(edit)}); }
  void remove_edit(std::size_t index);
  // Nothing is compiled for these. Breakpoints are kept for the next model, bookmarks are not.
  void set_breakpoints(std::vector<pass::Breakpoint> breakpoints);
  void set_bookmarks(std::vector<Bookmark> bookmarks);
  void leave_all_to_strategy();  // neither constraints nor edits
  // A person's schedule for the kernel that is shown, and for all that compute the same; nullopt:
  // the default one again. Whoever sets one has seen that it is legal.
  void set_schedule(std::optional<std::string> script);
  const SavedSchedule* own_schedule() const;  // of the kernel that is shown; null: the default one
  kernel::Schedules schedules_in_use() const;
  // Scripts that somebody writes and has not put into use, by workloads.
  const std::map<std::string, SavedSchedule>& drafts() const { return drafts_; }
  void set_draft(SavedSchedule draft);
  void drop_draft(const std::string& workload);
  const Workloads& workloads() const { return workloads_; }  // that schedules were written for
  // All of it, and the passes, is one history. What would be undone or redone, as change_words()
  // says it; empty: nothing.
  const Asked& asked() const { return asked_history_.now(); }
  const AskedHistory& asked_history() const { return asked_history_; }
  QString undo_words() const;
  QString redo_words() const;
  void undo();
  void redo();

  // Two plans of the last graph that are laid over it to be compared.
  struct ComparedPlans {
    QString first_name, second_name;  // of their strategies
    std::shared_ptr<const fusion::Plan> first, second;
  };
  const std::optional<ComparedPlans>& compared_plans() const { return compared_plans_; }
  void compare_plans(std::optional<ComparedPlans> plans);

  // An event of a plan that was told, where someone steps through it.
  struct PlanMoment {
    std::shared_ptr<const fusion::Plan> plan;
    std::size_t event;
    friend bool operator==(const PlanMoment&, const PlanMoment&) = default;
  };
  const std::optional<PlanMoment>& plan_moment() const { return plan_moment_; }
  void show_plan_moment(std::optional<PlanMoment> moment);

  // Guess first: nothing shows what the plan does with an edge until a person has said what they
  // would do.
  bool is_guessing() const { return guessing_; }
  void set_guessing(bool guessing);
  bool is_hidden(const fusion::Edge& edge) const { return guessing_ && !revealed_.contains(edge); }
  void reveal(const fusion::Edge& edge);
  // Someone asks for the decision on an edge, with all that is said of it.
  void want_decision(const fusion::Edge& edge) { emit decisionWanted(edge); }
  // Someone asks to choose a model to open, where there is none.
  void want_model() { emit modelWanted(); }

  // The group a node of the current step ends up in, by id or by origin; invalid: none (yet).
  fusion::GroupId group_of(graph::NodeId node) const;
  fusion::GroupId group_of(const graph::Node& node) const;  // a node of any step

  // Where intermediates live. Schedules every kernel, so it is derived when a view asks for it.
  void want_memory_plan();
  std::shared_ptr<const runtime::MemoryPlan> memory_plan() const { return memory_plan_; }

  // Stages 5 to 7: the current kernel. Follows the selection; set_kernel selects the group.
  fusion::GroupId kernel_group() const { return kernel_group_; }
  void set_kernel(fusion::GroupId group);
  void show_kernel(fusion::GroupId group);  // and leaves the selection as it is
  std::shared_ptr<const Kernel> kernel() const { return kernel_; }
  std::size_t loop_step() const { return loop_step_; }
  void set_loop_step(std::size_t step);  // clamped
  // At the loop step; null until ready.
  const loop::Listing* loop_listing() const { return loop_listing_.get(); }

  // Stages 8 and 9.
  std::shared_ptr<const MachineCode> machine_code() const { return machine_code_; }
  // LLVM IR of steps that are not at hand comes from a job: the step changes when it has arrived.
  std::size_t llvm_step() const { return llvm_step_; }
  void set_llvm_step(std::size_t step);  // clamped
  // At the LLVM step, and at the one before it (null for the first); null until ready.
  const codegen::SourceLines* llvm_lines() const { return llvm_texts_.lines.get(); }
  const codegen::SourceLines* llvm_lines_before() const { return llvm_texts_.before.get(); }
  const codegen::SourceLines* assembly_lines() const;

  // Stage 10.
  // Of what is open; while another model is being opened, of that one, as soon as it has a plan.
  void start_benchmark(int threads, int rounds = 20);
  void stop_benchmark();
  bool benchmark_waits() const { return benchmark_wanted_.has_value(); }   // for a model
  const std::vector<double>& round_times() const { return round_times_; }  // ms, of the last run
  std::shared_ptr<const runtime::BenchmarkReport> benchmark_report() const { return report_; }
  const runtime::KernelTiming* timing_of(fusion::GroupId group) const;  // null: not measured
  // What was measured last, of this plan or of another one, and when. It is shown again wherever
  // the plan is one of which it is true.
  const std::optional<SavedTimes>& last_times() const { return last_times_; }
  void recall_times(SavedTimes times);  // of the same model, measured by an earlier window
  // "measured on 2026-11-23 14:02" of a report that was not measured just now; else empty.
  QString measured_words() const;
  // Why nothing is shown of what was measured: "the times of 2026-11-23 14:02 are of another plan";
  // empty: nothing was.
  QString other_times_words() const;

 signals:
  void stageChanged(Stage stage);  // its state: empty, working, ready or failed
  void modelChanged();             // another model, or none
  // The source asked to be asked: nothing was opened, for these inputs leave dimensions open.
  void shapesWanted(const ModelSource& source, const std::vector<onnx::Signature>& inputs);
  // It was to be opened as it was left, and its graphs are there: passes, plan and place are as
  // they were but for these.
  void resumed(const SavedSession& session, const std::vector<Diagnostic>& problems);
  void pipelineChanged();  // pipeline() and settings()
  void historyChanged();   // model() and history()
  void stepChanged();      // position() and graph(), or what it is compared with
  void dominatorsChanged();
  void planChanged();
  void planRefused(const Diagnostic& problem);
  void askedChanged();  // asked(), and what of it can be undone
  void draftsChanged();
  void comparedPlansChanged();
  void planMomentChanged();
  void decisionWanted(const fusion::Edge& edge);
  void modelWanted();
  void guessingChanged();  // what of the plan is hidden
  void memoryPlanChanged();
  void kernelChanged();    // kernel_group() and kernel(), which may still be null
  void loopStepChanged();  // loop_listing()
  void machineCodeChanged();
  void llvmStepChanged();  // llvm_lines()
  void benchmarkRound(int round, double milliseconds);
  void benchmarkChanged();
  void failed(const Diagnostic& diagnostic);

 private:
  void set_state(Stage stage, StageState state, std::optional<Diagnostic> problem = {});
  void fail_stage(Stage stage, const Diagnostic& diagnostic);
  // Forget what these stages made, and everything below them.
  void drop_model();
  struct RefusedSchedule {
    SavedSchedule schedule;
    Diagnostic reason;
  };
  struct Opened {
    std::shared_ptr<Session> session;  // null: shapes are wanted first
    std::shared_ptr<const onnx::Model> model;
    std::vector<onnx::Signature> open_inputs;
    std::vector<RefusedSchedule> refused;
  };
  void accept_model(const ModelSource& source, Opened opened);
  void drop_history();
  std::vector<std::string> places_to_return_to() const;
  void return_to_place();
  void drop_plan();
  void drop_times();
  void drop_memory_plan();
  void drop_kernel();
  void drop_machine_code();
  void derive_history();
  void go_to(pass::Position position);
  void arrive(pass::Position position, std::shared_ptr<const graph::Graph> graph,
              std::shared_ptr<const graph::Graph> base);
  void derive_dominators();

  // As it was left (document_resume.cpp): what was asked comes with the model, edges and the place
  // with the history.
  void open_other_graph(ModelSource source);
  void resume_asked();
  void resume_edges();
  void resume_place();
  void leave_unknown_edges();
  void keep_of_model(const Asked& asked);  // is no step
  void begin_asked_history();
  std::string strategy_without_edits() const;  // in whose plan nothing is changed by hand
  void ask(Asked asked);
  void ask(PlanAsked plan);
  void change_asked(AskedHistory history);
  void put_asked_history(AskedHistory history);
  void forget_asked_history();
  void keep_answered(const AskedHistory& before);
  void hand_asked();  // to the session
  void hand_schedules();
  static std::vector<RefusedSchedule> refused_schedules(const SavedSession& session);
  std::optional<std::string> schedules_digest() const;
  void schedules_changed();
  void derive_plan();
  struct Planned {
    std::shared_ptr<const fusion::Plan> plan;
    fusion::PlanSummary summary;
    std::unordered_map<std::uint32_t, fusion::GroupId> group_of_origin;
    MeasuredOf measured_of;
    fusion::Saving saving;
  };
  void accept_plan(Planned planned);
  static Result<Planned> plan_by(Session& session);
  void weigh_plan();
  void replace_plan(Planned planned);
  void refuse_plan(const Diagnostic& diagnostic);
  void forget_wanted_benchmark();
  void keep_times(runtime::BenchmarkReport report);
  void show_recalled_times();

  void derive_kernel();
  void schedule_kernel();
  void accept_kernel(std::shared_ptr<const Kernel> kernel);
  void derive_machine_code();
  struct LlvmTexts {
    std::shared_ptr<const codegen::SourceLines> lines, before;
  };
  void arrive_at_llvm(std::size_t step, LlvmTexts texts);

  Toolchain toolchain_;
  SessionOptions options_;
  std::shared_ptr<const fusion::CostModel> cost_model_;
  JobQueue* jobs_;
  Selection* selection_;
  Debugger* debugger_;
  std::shared_ptr<Session> session_;
  ModelSource source_;
  std::shared_ptr<const SavedSession> resume_;  // until it is done
  std::vector<Diagnostic> resume_problems_;

  struct StageRecord {
    StageState state = StageState::Empty;
    std::optional<Diagnostic> problem;
  };
  std::array<StageRecord, 7> stages_;

  std::shared_ptr<const onnx::Model> model_;
  std::shared_ptr<const pass::GraphHistory> history_;
  pass::Position position_, wanted_position_;  // shown, and on its way
  std::optional<pass::Position> pinned_base_;
  std::vector<std::string> returning_to_;  // while other passes run: places, the best first
  bool walks_changes_only_ = false;
  std::shared_ptr<const graph::Graph> graph_, base_graph_;
  std::array<std::shared_ptr<const graph::DominatorTree>, 2> dominators_;
  AskedHistory asked_history_;
  std::optional<AskedHistory> answered_;  // as it was for the last plan of this graph
  Workloads workloads_;
  std::map<std::string, SavedSchedule> drafts_;
  std::vector<RefusedSchedule> refused_schedules_;              // asked for, and not in use
  std::optional<std::vector<SavedSchedule>> handed_schedules_;  // to the session there is
  std::optional<Diagnostic> plan_refusal_;
  std::shared_ptr<const fusion::Plan> plan_;
  fusion::PlanSummary plan_summary_;
  std::optional<ComparedPlans> compared_plans_;
  std::optional<PlanMoment> plan_moment_;
  bool guessing_ = false;
  std::set<fusion::Edge> revealed_;
  std::shared_ptr<const runtime::MemoryPlan> memory_plan_;
  std::unordered_map<std::uint32_t, fusion::GroupId> group_of_origin_;  // by index of the ONNX node
  fusion::GroupId kernel_group_;
  std::shared_ptr<const Kernel> kernel_;
  std::size_t loop_step_ = 0;
  std::shared_ptr<const MachineCode> machine_code_;
  std::size_t llvm_step_ = 0;
  int benchmark_run_ = 0;
  std::vector<double> round_times_;
  std::shared_ptr<const runtime::BenchmarkReport> report_;

  // What is shown of the kernel's listings, at loop_step_ and llvm_step_.
  std::shared_ptr<const loop::Listing> loop_listing_;
  LlvmTexts llvm_texts_;
  std::size_t wanted_llvm_step_ = 0;  // on its way

  Recall recall_;
  fusion::Saving plan_saving_;
  struct BenchmarkWanted {
    int threads, rounds;
  };
  std::optional<BenchmarkWanted> benchmark_wanted_;  // of the model that is being opened
  MeasuredOf measured_of_;                           // what is measured now is of these
  std::optional<SavedTimes> last_times_;
  bool is_recalled_ = false;  // the report is of the last times, and was not measured for this plan
};

}  // namespace loopglass::views
