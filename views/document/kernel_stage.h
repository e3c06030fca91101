// Stages 5 to 9 of the document: the kernel that is shown, its loop nest and its machine code, each
// at the step where the window is.
#pragma once

#include "views/document/document_stage.h"
#include "views/document/kernel_steps.h"

namespace loopglass::views {

class FusionStage;

class KernelStage : public DocumentStage {
  Q_OBJECT

 public:
  KernelStage(const StageTools& tools, const FusionStage& fusion, QObject* parent)
      : DocumentStage(tools, parent), fusion_(fusion) {}

  // Follows the selection; select() selects the group, show() leaves the selection as it is.
  fusion::GroupId group() const { return group_; }
  void select(fusion::GroupId group);
  void show(fusion::GroupId group);
  std::shared_ptr<const Kernel> kernel() const { return kernel_; }  // null until ready

  std::size_t loop_step() const { return loop_step_; }
  void set_loop_step(std::size_t step);  // clamped
  // At the loop step; null until ready.
  const loop::Listing* loop_listing() const { return loop_listing_.get(); }

  std::shared_ptr<const MachineCode> machine_code() const { return machine_code_; }
  // What steps lead to that are not at hand comes from a job: the step changes when it has arrived.
  std::size_t llvm_step() const { return llvm_step_; }
  void set_llvm_step(std::size_t step);  // clamped
  // At the LLVM step, and at the one before it (null for the first); null until ready.
  const codegen::SourceLines* llvm_lines() const { return llvm_texts_.lines.get(); }
  const codegen::SourceLines* llvm_lines_before() const { return llvm_texts_.before.get(); }
  const codegen::SourceLines* assembly_lines() const;

  // --- for the document ---

  void reschedule();  // what is shown stays until it is made anew
  void forget();      // no kernel is shown
  void stay();        // what is on its way will not come

 signals:
  void kernelChanged();    // group() and kernel(), which may still be null
  void loopStepChanged();  // loop_listing()
  void machineCodeChanged();
  void llvmStepChanged();  // llvm_lines()

 private:
  struct LlvmTexts {
    std::shared_ptr<const codegen::SourceLines> lines, before;
  };
  void derive();
  void accept(std::shared_ptr<const Kernel> kernel);
  void accept(std::shared_ptr<const MachineCode> machine_code);
  void derive_machine_code();
  void arrive_at_llvm(std::size_t step, LlvmTexts texts);
  void drop();
  void drop_machine_code();
  std::string name() const;

  const FusionStage& fusion_;
  fusion::GroupId group_;
  std::shared_ptr<const Kernel> kernel_;
  std::size_t loop_step_ = 0;
  std::shared_ptr<const MachineCode> machine_code_;
  std::size_t llvm_step_ = 0, wanted_llvm_step_ = 0;  // shown, and on its way
  // What is shown of the listings, at loop_step_ and llvm_step_.
  std::shared_ptr<const loop::Listing> loop_listing_;
  LlvmTexts llvm_texts_;
};

}  // namespace loopglass::views
