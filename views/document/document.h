// The one object that knows the compiler. It opens models, keeps what a person asks of them, and
// conducts the stages: each is an object of its own that asks the Session in background jobs and
// keeps what has arrived as immutable shared values. A view reads from the stages, listens to their
// signals, and knows no other view.
//
// Signals are in Qt's spelling (stepChanged); everything else in ours.
#pragma once

#include "core/saved_session.h"
#include "core/session.h"
#include "views/document/asked_history.h"
#include "views/document/benchmark_stage.h"
#include "views/document/fusion_stage.h"
#include "views/document/history_stage.h"
#include "views/document/kernel_stage.h"
#include "views/document/memory_stage.h"
#include "views/document/roofline_stage.h"
#include "views/document/selection.h"
#include "views/document/stage_board.h"
#include "views/jobs.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace loopglass::views {

class Debugger;

// Where a model comes from: a file, or something that makes one (a sample, on first use).
struct ModelSource {
  QString title;
  std::function<Result<onnx::Source>()> locate;  // called in a job
  onnx::InputBindings inputs = {};
  QString argument = {};  // what to call it on the command line
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
  // Where what is asked was saved by hand, for commands that go on from it; empty: nowhere yet.
  const QString& session_file() const { return session_file_; }
  void set_session_file(const QString& file) { session_file_ = file; }

  Selection& selection() const { return *selection_; }
  JobQueue& jobs() const { return *jobs_; }
  Debugger& debugger() const { return *debugger_; }
  const Toolchain& toolchain() const { return toolchain_; }
  // Where networks are timed; null: in this process.
  const std::shared_ptr<measure::WorkerPool>& workers() const { return options_.workers; }

  StageState state(Stage stage) const { return board_->state(stage); }
  const Diagnostic* problem(Stage stage) const { return board_->problem(stage); }

  HistoryStage& history() const { return *history_; }        // 1 to 3: graphs and their dominators
  FusionStage& fusion() const { return *fusion_; }           // 4: the plan
  MemoryStage& memory() const { return *memory_; }           // where its intermediates live
  KernelStage& kernels() const { return *kernels_; }         // 5 to 9: the one that is shown
  BenchmarkStage& benchmark() const { return *benchmark_; }  // 10
  RooflineStage& roofline() const { return *roofline_; }  // what keeps its kernels from the roofs

  // What derives everything; for jobs of views. Null until a model is read.
  std::shared_ptr<Session> session() const { return session_; }

  std::shared_ptr<const onnx::Model> model() const { return model_; }  // null until ready
  // The pipeline of graph passes as text, and what else a person sets for them.
  std::string pipeline() const;
  Result<void> set_pipeline(const std::string& text);  // refused: the old one stays
  pass::Settings settings() const;
  void set_settings(const pass::Settings& settings);
  // Whether the passes were stopped or failed, so that there is a model without a history.
  bool can_run_passes() const;
  void run_passes();

  // What plans are weighed by; never null. Another one weighs the plan there is anew.
  std::shared_ptr<const fusion::CostModel> cost_model() const { return cost_model_; }
  void set_cost_model(std::shared_ptr<const fusion::CostModel> cost_model);

  // What a person asks of the plan and cannot be comes to nothing: all is as it was for the last
  // plan that could be, and planRefused() says why, with the reason's code.
  const PlanAsked& plan_asked() const { return asked().plan; }
  QString strategy() const;
  void set_strategy(const QString& strategy);
  const Diagnostic* plan_refusal() const;  // until something else is asked, or read; null: none
  void forget_plan_refusal() { plan_refusal_.reset(); }
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
  // Of several kernels at once, one step to undo; `nests` has those that they were written for.
  void set_schedules(std::vector<SavedSchedule> schedules, const Workloads& nests);
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

  // Someone asks for the decision on an edge, with all that is said of it.
  void want_decision(const fusion::Edge& edge) { emit decisionWanted(edge); }
  // Someone asks to choose a model to open, where there is none.
  void want_model() { emit modelWanted(); }

 signals:
  void stageChanged(Stage stage);  // its state: empty, working, ready or failed
  void modelChanged();             // another model, or none
  // The source asked to be asked: nothing was opened, for these inputs leave dimensions open.
  void shapesWanted(const ModelSource& source, const std::vector<onnx::Signature>& inputs);
  // It was to be opened as it was left, and its graphs are there: passes, plan and place are as
  // they were but for these.
  void resumed(const SavedSession& session, const std::vector<Diagnostic>& problems);
  void pipelineChanged();  // pipeline() and settings()
  void planRefused(const Diagnostic& problem);
  void askedChanged();  // asked(), and what of it can be undone
  void draftsChanged();
  void decisionWanted(const fusion::Edge& edge);
  void modelWanted();
  void failed(const Diagnostic& diagnostic);

 private:
  struct RefusedSchedule {
    SavedSchedule schedule;
    Diagnostic reason;
  };
  struct Opened {
    std::shared_ptr<Session> session;  // null: shapes are wanted first
    std::shared_ptr<const onnx::Model> model;
    std::vector<onnx::Signature> open_inputs;
    std::vector<RefusedSchedule> refused;
    std::optional<Diagnostic> refused_inputs;    // of a session: the model's usual ones instead
    std::optional<Diagnostic> refused_subgraph;  // of a session: the model's own graph instead
  };
  void connect_stages();
  void accept_model(const ModelSource& source, Opened opened);
  void set_session(std::shared_ptr<Session> session);
  // Forget what these stages made, and everything below them.
  void drop_model();
  void drop_history();
  void drop_plan();

  // As it was left (document_resume.cpp): what was asked comes with the model, edges and the place
  // with the history.
  void open_other_graph(ModelSource source);
  void resume_asked();
  void resume_edges();
  void resume_place();
  void leave_unknown_edges();
  void keep_of_model(const Asked& asked);  // is no step

  void begin_asked_history();
  QString words_between(const Asked& from, const Asked& to) const;
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
  void schedules_changed();
  void refuse_plan(const Diagnostic& diagnostic);

  Toolchain toolchain_;
  SessionOptions options_;
  std::shared_ptr<const fusion::CostModel> cost_model_;
  JobQueue* jobs_;
  StageBoard* board_;
  Selection* selection_;
  HistoryStage* history_;
  FusionStage* fusion_;
  MemoryStage* memory_;
  KernelStage* kernels_;
  BenchmarkStage* benchmark_;
  RooflineStage* roofline_;
  Debugger* debugger_;

  std::shared_ptr<Session> session_;
  ModelSource source_;
  QString session_file_;
  std::shared_ptr<const onnx::Model> model_;
  std::shared_ptr<const SavedSession> resume_;  // until it is done
  std::vector<Diagnostic> resume_problems_;
  std::string kernel_left_;  // that was shown of the plan before
  Recall recall_;

  AskedHistory asked_history_;
  std::optional<AskedHistory> answered_;  // as it was for the last plan of this graph
  std::optional<Diagnostic> plan_refusal_;
  Workloads workloads_;
  std::map<std::string, SavedSchedule> drafts_;
  std::vector<RefusedSchedule> refused_schedules_;              // asked for, and not in use
  std::optional<std::vector<SavedSchedule>> handed_schedules_;  // to the session there is
};

}  // namespace loopglass::views
