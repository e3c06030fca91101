#include "core/codegen/pipeline_model.h"

#include "core/codegen/machine_tables.h"
#include "core/codegen/target.h"
#include "core/support/check.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/MCA/Context.h>
#include <llvm/MCA/CustomBehaviour.h>
#include <llvm/MCA/HWEventListener.h>
#include <llvm/MCA/InstrBuilder.h>
#include <llvm/MCA/Pipeline.h>
#include <llvm/MCA/SourceMgr.h>
#include <llvm/MCA/Support.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace loopglass::codegen {
namespace {

constexpr unsigned iterations = 100, told_iterations = 3;
// Models that LLVM has of processors with the instructions of ours, each with another idea of its
// ports.
constexpr std::array candidates{"znver4",         "znver3",        "znver2",    "skylake-avx512",
                                "icelake-server", "skylake",       "alderlake", "haswell",
                                "broadwell",      "sapphirerapids"};

std::unexpected<Diagnostic> refused(const std::string& what, const std::string& where) {
  return fail(Code::CodegenUnsupported, what, where,
              "name another processor's model, as LLVM calls it: znver4, skylake-avx512");
}

// Instructions, in their order, as they are parsed.
class Collected : public llvm::MCStreamer {
 public:
  explicit Collected(llvm::MCContext& context) : MCStreamer(context) {}
  void emitInstruction(const llvm::MCInst& instruction, const llvm::MCSubtargetInfo&) override {
    instructions.push_back(instruction);
  }
  bool emitSymbolAttribute(llvm::MCSymbol*, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol*, std::uint64_t, llvm::Align) override {}
  void emitZerofill(llvm::MCSection*, llvm::MCSymbol*, std::uint64_t, llvm::Align,
                    llvm::SMLoc) override {}

  std::vector<llvm::MCInst> instructions;
};

// What LLVM knows of a processor.
struct Knowledge : MachineTables {
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;
};

Result<Knowledge> knowledge_of(const std::string& processor) {
  if (!machine_tables("").processor->isCPUStringValid(processor))
    return refused(fmt::format("LLVM has no model of a processor '{}'", processor), processor);
  Knowledge known{machine_tables(processor), nullptr};
  if (!known.processor->getSchedModel().hasInstrSchedModel())
    return refused(fmt::format("LLVM has no model of the ports of '{}'", processor), processor);
  known.analysis.reset(known.target->createMCInstrAnalysis(known.instructions.get()));
  return known;
}

struct Parsed {
  std::vector<llvm::MCInst> instructions;
  std::vector<std::size_t> lines;  // of each
};

Result<Parsed> parse(const Knowledge& known, const SourceLines& assembly, const LoopSpan& loop) {
  // A line each, so that places in the text are lines of the loop; labels are left out.
  std::string text;
  for (std::size_t line = loop.first; line <= loop.last; ++line) {
    const std::string& own = assembly[line].text;
    const std::string code = own.substr(0, own.find('#'));
    const std::size_t begin = code.find_first_not_of(" \t");
    const bool is_directive = begin != std::string::npos && code[begin] == '.';
    if (!is_directive && code.find(':') == std::string::npos) text += code;
    text += '\n';
  }
  llvm::SourceMgr sources;
  sources.setDiagHandler([](const llvm::SMDiagnostic&, void*) {});
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), llvm::SMLoc());
  llvm::MCContext context(known.processor->getTargetTriple(), known.notation.get(),
                          known.registers.get(), known.processor.get(), &sources);
  const std::unique_ptr<llvm::MCObjectFileInfo> sections(
      known.target->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(sections.get());
  Collected collected(context);
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, collected, *known.notation));
  parser->setAssemblerDialect(intel_dialect);
  const std::unique_ptr<llvm::MCTargetAsmParser> instruction_parser(known.target->createMCAsmParser(
      *known.processor, *parser, *known.instructions, *known.options));
  parser->setTargetParser(*instruction_parser);
  if (parser->Run(/*NoInitialTextSection=*/false) || collected.instructions.empty())
    return refused("an instruction of the loop is not understood", assembly[loop.first].text);
  Parsed parsed{std::move(collected.instructions), {}};
  for (const llvm::MCInst& instruction : parsed.instructions)
    parsed.lines.push_back(loop.first + sources.FindLineNumber(instruction.getLoc()) - 1);
  return parsed;
}

// Hears what happens to each instruction, cycle by cycle.
class Watching : public llvm::mca::HWEventListener {
 public:
  Watching(const llvm::MCSubtargetInfo& processor, std::size_t count) : instructions_(count) {
    const llvm::MCSchedModel& model = processor.getSchedModel();
    for (unsigned kind = 1; kind < model.getNumProcResourceKinds(); ++kind) {
      const llvm::MCProcResourceDesc& resource = *model.getProcResource(kind);
      // Groups are made of the others.
      if (resource.SubUnitsIdxBegin || resource.NumUnits == 0) continue;
      first_unit_[kind] = units_.size();
      for (unsigned unit = 0; unit < resource.NumUnits; ++unit)
        units_.push_back(resource.NumUnits == 1 ? std::string(resource.Name)
                                                : fmt::format("{}.{}", resource.Name, unit));
    }
    for (ModelledInstruction& instruction : instructions_) {
      instruction.pressure.resize(units_.size());
      instruction.timeline.resize(told_iterations);
    }
  }

  void onCycleBegin() override { ports_ = results_ = false; }
  void onCycleEnd() override {
    ++cycle_;
    waiting_for_ports_ += ports_;
    waiting_for_results_ += results_;
  }
  void onEvent(const llvm::mca::HWPressureEvent& event) override {
    if (event.Reason == llvm::mca::HWPressureEvent::RESOURCES) ports_ = true;
    else results_ = true;
  }
  void onEvent(const llvm::mca::HWInstructionEvent& event) override {
    using Event = llvm::mca::HWInstructionEvent;
    const unsigned index = event.IR.getSourceIndex();
    ModelledInstruction& instruction = instructions_[index % instructions_.size()];
    if (event.Type == Event::Issued)
      for (const llvm::mca::ResourceUse& use :
           static_cast<const llvm::mca::HWInstructionIssuedEvent&>(event).UsedResources) {
        const auto unit = first_unit_.find(static_cast<unsigned>(use.first.first));
        if (unit == first_unit_.end()) continue;
        instruction.pressure[unit->second +
                             static_cast<std::size_t>(llvm::countr_zero(use.first.second))] +=
            double(use.second) / iterations;
      }
    const std::size_t iteration = index / instructions_.size();
    if (iteration >= told_iterations) return;
    ModelledInstruction::Moments& moments = instruction.timeline[iteration];
    switch (event.Type) {
      case Event::Dispatched: moments.dispatched = cycle_; break;
      case Event::Issued: moments.issued = cycle_; break;
      case Event::Executed: moments.executed = cycle_; break;
      case Event::Retired: moments.retired = cycle_; break;
      default: break;
    }
  }

  PipelineModel result(unsigned cycles) && {
    PipelineModel model;
    model.cycles = static_cast<double>(cycles) / iterations;
    model.waiting_for_ports = static_cast<double>(waiting_for_ports_) / cycles;
    model.waiting_for_results = static_cast<double>(waiting_for_results_) / cycles;
    // Ports that nothing takes are left out.
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      double sum = 0;
      for (const ModelledInstruction& each : instructions_) sum += each.pressure[unit];
      if (sum == 0) continue;
      model.ports.push_back(units_[unit]);
      model.pressure.push_back(sum);
      kept_.push_back(unit);
    }
    for (ModelledInstruction& each : instructions_) {
      std::vector<double> pressure;
      for (const std::size_t unit : kept_) pressure.push_back(each.pressure[unit]);
      each.pressure = std::move(pressure);
    }
    model.instructions = std::move(instructions_);
    return model;
  }

 private:
  std::map<unsigned, std::size_t> first_unit_;  // by kind of resource
  std::vector<std::string> units_;
  std::vector<std::size_t> kept_;
  std::vector<ModelledInstruction> instructions_;
  int cycle_ = 0, waiting_for_ports_ = 0, waiting_for_results_ = 0;
  bool ports_ = false, results_ = false;
};

std::string words_of(llvm::Error error) { return llvm::toString(std::move(error)); }

}  // namespace

Result<PipelineModel> model_pipeline(const SourceLines& assembly, const LoopSpan& loop,
                                     const std::string& wanted) {
  const std::string processor = wanted.empty() ? host_target().processor : wanted;
  const Knowledge known = TRY(knowledge_of(processor));
  const Parsed parsed = TRY(parse(known, assembly, loop));

  constexpr unsigned call_latency = 100;  // nobody calls in an innermost loop
  const llvm::mca::InstrumentManager instruments(*known.processor, *known.instructions);
  llvm::mca::InstrBuilder builder(*known.processor, *known.instructions, *known.registers,
                                  known.analysis.get(), instruments, call_latency);
  std::vector<std::unique_ptr<llvm::mca::Instruction>> sequence;
  std::vector<std::pair<int, int>> costs;  // micro operations, latency
  for (std::size_t i = 0; i < parsed.instructions.size(); ++i) {
    auto instruction = builder.createInstruction(parsed.instructions[i], {});
    if (!instruction)
      return refused(fmt::format("the model of '{}' does not know an instruction: {}", processor,
                                 words_of(instruction.takeError())),
                     assembly[parsed.lines[i]].text);
    costs.emplace_back(static_cast<int>((*instruction)->getDesc().NumMicroOps),
                       static_cast<int>((*instruction)->getDesc().MaxLatency));
    sequence.push_back(std::move(*instruction));
  }

  llvm::mca::CircularSourceMgr source(sequence, iterations);
  llvm::mca::CustomBehaviour behaviour(*known.processor, source, *known.instructions);
  llvm::mca::Context context(*known.registers, *known.processor);
  // 0: as the processor's model has it. Loads may pass stores: kernels' buffers do not overlap.
  const llvm::mca::PipelineOptions options(0, 0, 0, 0, 0, 0, /*NoAlias=*/true,
                                           /*ShouldEnableBottleneckAnalysis=*/true);
  const auto pipeline = known.processor->getSchedModel().isOutOfOrder()
                            ? context.createDefaultPipeline(options, source, behaviour)
                            : context.createInOrderPipeline(options, source, behaviour);
  Watching watching(*known.processor, sequence.size());
  pipeline->addEventListener(&watching);
  auto cycles = pipeline->run();
  if (!cycles)
    return refused("the loop does not run on the model: " + words_of(cycles.takeError()),
                   processor);
  PipelineModel model = std::move(watching).result(*cycles);
  model.processor = processor;
  model.loop = loop;
  for (std::size_t i = 0; i < model.instructions.size(); ++i) {
    model.instructions[i].line = parsed.lines[i];
    std::tie(model.instructions[i].micro_operations, model.instructions[i].latency) = costs[i];
  }
  return model;
}

Result<std::string> fitting_model(const SourceLines& assembly, const LoopSpan& loop,
                                  double cycles) {
  struct Fit {
    std::string processor;
    double distance;
  };
  std::vector<Fit> fits;
  const auto add = [&](const std::string& processor, const Result<PipelineModel>& model) {
    if (model) fits.push_back({processor, std::abs(std::log(model->cycles / cycles))});
  };
  const auto own = model_pipeline(assembly, loop);
  add(host_target().processor, own);
  for (const char* candidate : candidates)
    add(candidate, model_pipeline(assembly, loop, candidate));
  if (fits.empty()) return std::unexpected(own.error());
  const double least = std::ranges::min_element(fits, {}, &Fit::distance)->distance;
  // The first in their order that is as near as a measurement tells, its own before all others.
  constexpr double as_near = 0.1;
  return std::ranges::find_if(fits, [&](const Fit& fit) { return fit.distance <= least + as_near; })
      ->processor;
}

}  // namespace loopglass::codegen
