#include "core/codegen/text_watch.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <cstring>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace loopglass::codegen {
namespace {

// Mixes word by word; content is told apart, not protected.
class Mixer {
 public:
  void word(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15ULL;
    state_ ^= state_ >> 32;
  }
  void address(const void* pointer) { word(reinterpret_cast<std::uintptr_t>(pointer)); }
  void text(llvm::StringRef value) {
    word(value.size());
    for (; value.size() >= 8; value = value.drop_front(8)) word(leading(value.data(), 8));
    if (!value.empty()) word(leading(value.data(), value.size()));
  }
  // As it is printed: by its name, which a copy in its place takes over. What has none goes by its
  // address, and so do constants, of which there is one each.
  void value(const llvm::Value* shown) {
    if (shown->hasName()) text(shown->getName());
    else address(shown);
    // Whoever uses global data may ask for more alignment.
    if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(shown))
      word(global->getAlign().valueOrOne().value());
  }
  void attributes(llvm::AttributeSet set) {
    word(llvm::DenseMapInfo<llvm::AttributeSet>::getHashValue(set));
  }
  std::uint64_t state() const { return state_; }

 private:
  static std::uint64_t leading(const char* bytes, std::size_t count) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, count);
    return value;
  }

  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

// Kinds of instruction that kernels hardly have: atomics, ... LLVM numbers the whole function for
// one.
std::string printed(const llvm::Instruction& instruction) {
  std::string text;
  llvm::raw_string_ostream out(text);
  instruction.print(out);
  return text;
}

// Whether operands, type and flags are all there is to tell.
bool is_plain(const llvm::Instruction& instruction) {
  using namespace llvm;
  return isa<llvm::BinaryOperator, llvm::UnaryOperator, CastInst, BranchInst, SwitchInst,
             ReturnInst, SelectInst, ExtractElementInst, InsertElementInst, FreezeInst,
             UnreachableInst>(instruction);
}

void put_call(Mixer& mixer, const llvm::CallInst& call) {
  mixer.word(call.getTailCallKind());
  mixer.word(call.getCallingConv());
  mixer.address(call.getFunctionType());
  mixer.attributes(call.getAttributes().getRetAttrs());
  for (unsigned i = 0; i < call.arg_size(); ++i)
    mixer.attributes(call.getAttributes().getParamAttrs(i));
  for (unsigned i = 0; i < call.getNumOperandBundles(); ++i) {
    const llvm::OperandBundleUse bundle = call.getOperandBundleAt(i);
    mixer.text(bundle.getTagName());
    mixer.word(bundle.Inputs.size());
  }
}

// What is neither operand, type nor flag.
void put_details(Mixer& mixer, const llvm::Instruction& instruction) {
  using namespace llvm;
  const auto* load = dyn_cast<LoadInst>(&instruction);
  const auto* store = dyn_cast<StoreInst>(&instruction);
  if (is_plain(instruction)) return;
  if (const auto* comparison = dyn_cast<CmpInst>(&instruction))
    mixer.word(comparison->getPredicate());
  else if (load && load->isSimple()) mixer.word(load->getAlign().value());
  else if (store && store->isSimple()) mixer.word(store->getAlign().value());
  else if (const auto* slot = dyn_cast<AllocaInst>(&instruction)) {
    mixer.address(slot->getAllocatedType());
    mixer.word(slot->getAlign().value());
  } else if (const auto* place = dyn_cast<GetElementPtrInst>(&instruction))
    mixer.address(place->getSourceElementType());
  else if (const auto* phi = dyn_cast<PHINode>(&instruction))
    for (const BasicBlock* from : phi->blocks()) mixer.value(from);
  else if (const auto* call = dyn_cast<CallInst>(&instruction)) put_call(mixer, *call);
  else if (const auto* shuffle = dyn_cast<ShuffleVectorInst>(&instruction))
    for (const int lane : shuffle->getShuffleMask()) mixer.word(static_cast<std::uint64_t>(lane));
  else mixer.text(printed(instruction));
}

std::uint64_t hash_of(const llvm::BasicBlock& block) {
  Mixer mixer;
  mixer.value(&block);
  if (const llvm::BasicBlock* next = block.getNextNode()) mixer.value(next);
  for (const llvm::BasicBlock* before : llvm::predecessors(&block))
    mixer.value(before);  // told beside the label
  for (const llvm::Instruction& instruction : block) {
    mixer.word(instruction.getOpcode());
    mixer.value(&instruction);
    mixer.address(instruction.getType());
    mixer.word(instruction.getRawSubclassOptionalData());  // nuw, fast, inbounds, ...
    for (const llvm::Value* operand : instruction.operand_values()) mixer.value(operand);
    put_details(mixer, instruction);
  }
  return mixer.state();
}

std::uint64_t header_hash(const llvm::Function& function) {
  Mixer mixer;
  mixer.text(function.getName());
  mixer.address(function.getFunctionType());
  mixer.word(function.getLinkage());
  mixer.word(function.getVisibility());
  mixer.word(function.getCallingConv());
  mixer.word(static_cast<std::uint64_t>(function.getUnnamedAddr()));
  mixer.word(function.isDSOLocal());
  mixer.attributes(function.getAttributes().getRetAttrs());
  for (const llvm::Argument& argument : function.args()) {
    mixer.text(argument.getName());
    mixer.attributes(function.getAttributes().getParamAttrs(argument.getArgNo()));
  }
  return mixer.state();
}

std::uint64_t globals_hash(const llvm::Module& module) {
  Mixer mixer;
  for (const llvm::GlobalVariable& global : module.globals()) {
    mixer.text(global.getName());
    mixer.address(global.getValueType());
    mixer.address(global.hasInitializer() ? global.getInitializer() : nullptr);
    mixer.word(global.getLinkage());
    mixer.word(static_cast<std::uint64_t>(global.getUnnamedAddr()));
    mixer.word(global.isConstant());
  }
  return mixer.state();
}

// The blocks of the loop, and those that lead into it and that it leads to.
std::unordered_set<const llvm::BasicBlock*> neighbourhood(const llvm::Loop& loop) {
  std::unordered_set<const llvm::BasicBlock*> blocks(loop.block_begin(), loop.block_end());
  for (const llvm::BasicBlock* before : llvm::predecessors(loop.getHeader())) blocks.insert(before);
  llvm::SmallVector<llvm::BasicBlock*, 8> exits;
  loop.getExitBlocks(exits);
  blocks.insert(exits.begin(), exits.end());
  return blocks;
}

}  // namespace

struct TextWatch::State {
  struct Known {
    std::uint64_t header = 0;
    std::unordered_map<const llvm::BasicBlock*, std::uint64_t> blocks;
    bool is_behind = false;  // not all of the function was looked at since it changed

    // Blocks name the one that follows them, so their order is part of it.
    std::uint64_t body() const {
      std::uint64_t sum = 0;
      for (const auto& [block, hash] : blocks) sum += hash;
      return sum;
    }
  };

  const llvm::Module& module;
  std::unordered_map<std::string, Known> functions;  // by name: a pass may put another in its place
  std::uint64_t globals = 0, blocks_hashed = 0;

  Known& of(const llvm::Function& function) { return functions[function.getName().str()]; }

  bool look_at(Known& known, const llvm::BasicBlock& block) {
    ++blocks_hashed;
    const std::uint64_t now = hash_of(block);
    return std::exchange(known.blocks[&block], now) != now;
  }
};

TextWatch::TextWatch(const llvm::Module& module) : state_(new State{module, {}}) { look_at_all(); }
TextWatch::~TextWatch() = default;

bool TextWatch::look_for_new_and_gone_functions() {
  std::unordered_set<std::string> there;
  for (const llvm::Function& function : state_->module) there.insert(function.getName().str());
  bool changed = std::erase_if(state_->functions,
                               [&](const auto& known) { return !there.contains(known.first); }) > 0;
  for (const llvm::Function& function : state_->module)
    if (!state_->functions.contains(function.getName().str())) changed |= look_at(function);
  return changed;
}

bool TextWatch::look_at_all() {
  bool changed = look_for_new_and_gone_functions();
  for (const llvm::Function& function : state_->module) changed |= look_at(function);
  const std::uint64_t globals = globals_hash(state_->module);
  return std::exchange(state_->globals, globals) != globals || changed;
}

bool TextWatch::look_at(const llvm::Function& function) {
  State::Known& known = state_->of(function);
  const std::uint64_t header = header_hash(function);
  const bool changed = std::exchange(known.header, header) != header;
  const std::uint64_t before = known.body();
  known.blocks.clear();
  for (const llvm::BasicBlock& block : function) state_->look_at(known, block);
  known.is_behind = false;
  return changed || known.body() != before;
}

bool TextWatch::look_at(const llvm::Loop& loop, bool says_changed) {
  const llvm::Function& function = *loop.getHeader()->getParent();
  State::Known& known = state_->of(function);
  bool changed = false;
  for (const llvm::BasicBlock* block : neighbourhood(loop))
    changed |= state_->look_at(known, *block);
  known.is_behind |= changed;
  if (changed || !says_changed) return changed;
  for (const llvm::BasicBlock& block : function) changed |= state_->look_at(known, block);
  return changed;
}

void TextWatch::catch_up(const llvm::Loop& loop) {
  State::Known& known = state_->of(*loop.getHeader()->getParent());
  if (!known.is_behind) return;
  for (const llvm::BasicBlock* block : neighbourhood(loop)) state_->look_at(known, *block);
}

void TextWatch::catch_up(const llvm::Function& function) {
  if (state_->of(function).is_behind) look_at(function);
}

void TextWatch::catch_up() {
  look_for_new_and_gone_functions();  // declarations come with the calls that passes over functions
                                      // make
  for (const llvm::Function& function : state_->module) catch_up(function);
}

std::uint64_t TextWatch::blocks_hashed() const { return state_->blocks_hashed; }

}  // namespace loopglass::codegen
