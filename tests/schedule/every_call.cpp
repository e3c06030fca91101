#include "tests/schedule/every_call.h"

#include "core/loop/walk.h"

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<std::int64_t>;

class Calls {
 public:
  explicit Calls(const loop::Func& func) {
    loop::walk(func.body, [&](const Stmt& stmt) {
      if (const For* node = loop::as<For>(stmt)) loops_.push_back(node->variable);
      if (const Block* node = loop::as<Block>(stmt)) blocks_.push_back(node);
    });
    for (const Buffer& buffer : loop::buffers_of(func)) buffers_.push_back(buffer);
    collect_chains(func.body, {});
  }

  std::vector<Instruction> all() && {
    of_loops();
    of_blocks();
    of_buffers();
    return std::move(calls_);
  }

 private:
  void add(const std::string& primitive, std::vector<ScriptArgument> arguments) {
    calls_.push_back({{}, primitive, std::move(arguments)});
  }

  // The loops around each innermost statement, outermost first.
  void collect_chains(const Stmt& stmt, Texts around) {
    if (!stmt) return;
    if (const For* node = loop::as<For>(stmt)) around.push_back(node->variable);
    const std::vector<Stmt> inside = loop::as<Block>(stmt) ? std::vector<Stmt>{} : children(stmt);
    for (const Stmt& child : inside) collect_chains(child, around);
    if (inside.empty() && std::find(chains_.begin(), chains_.end(), around) == chains_.end())
      chains_.push_back(around);
  }

  void of_loops() {
    for (const std::string& loop : loops_) {
      for (const Numbers& factors : {Numbers{-1, 2}, Numbers{-1, 3}, Numbers{2, -1}})
        add("split", {loop, factors});
      for (const Numbers& factors : {Numbers{-1, 2}, Numbers{-1, 3}})
        add("split", {loop, factors, std::string("peel")});
      for (const Numbers& parts : {Numbers{1, -1}, Numbers{-1, 1}, Numbers{1, -1, 1}})
        add("loop_partition", {loop, parts});
      add("parallel", {loop});
      add("blockize", {loop});
      for (const std::string& next : loops_) add("compute_with", {loop, next});
      add("vectorize", {loop});
      add("unroll", {loop});
      for (const char* axis : {"blockIdx.x", "threadIdx.x", "vthread"})
        add("bind", {loop, std::string(axis)});
      add("tensorize", {loop, std::string("vnni_dot_16x4")});
      add("annotate", {loop, std::string("unroll_count"), std::string("2")});
    }
    for (const Texts& chain : chains_) {
      for (std::size_t outer = 0; outer < chain.size(); ++outer)
        for (std::size_t inner = outer + 1; inner < chain.size(); ++inner) {
          add("fuse", {Texts{chain[outer], chain[inner]}});
          add("reorder", {Texts{chain[inner], chain[outer]}});
          add("tile", {chain[outer], chain[inner], std::int64_t{2}, std::int64_t{2}});
          add("tile", {chain[outer], chain[inner], std::int64_t{2}, std::int64_t{3}});
        }
      if (chain.size() != 3) continue;
      Texts order = chain;
      std::sort(order.begin(), order.end());
      do add("reorder", {order});
      while (std::next_permutation(order.begin(), order.end()));
    }
  }

  void of_blocks() {
    for (const Block* block : blocks_) {
      const std::string& name = block->name;
      add("add_unit_loop", {name});
      add("compute_root", {name});
      add("compute_inline", {name});
      add("reverse_compute_inline", {name});
      add("fuse_epilogue", {name});
      add("cache_write", {name, std::string("workspace")});
      for (const std::string& loop : loops_) {
        add("compute_at", {name, loop});
        add("reverse_compute_at", {name, loop});
        add("decompose_reduction", {name, loop});
        add("decompose_padding", {name, loop});
        add("rolling_buffer", {name, loop});
        for (const Block* border : blocks_) add("skip_padding", {name, border->name, loop});
        for (const std::int64_t axis : {0, 1}) add("rfactor", {name, loop, axis});
      }
      for (const char* primitive : {"cache_read", "reindex"})
        for (const Buffer& buffer : buffers_)
          add(primitive, {name, buffer.name, std::string("workspace")});
      for (const std::int64_t multiple : {2, 4})
        add("pad_einsum", {name, Numbers(block->iters.size(), multiple)});
      for (std::int64_t axis = 0; axis < std::ssize(block->iters); ++axis) {
        add("pad_axis", {name, axis, std::int64_t{4}});
        for (const std::int64_t factor : {2, 3}) add("split_axis", {name, axis, factor});
      }
    }
  }

  void of_buffers() {
    for (const Buffer& buffer : buffers_) {
      for (const char* scope : {"stack", "shared"})
        add("set_scope", {buffer.name, std::string(scope)});
      add("storage_align", {buffer.name, std::int64_t{0}, std::int64_t{8}, std::int64_t{3}});
      for (const std::string& loop : loops_) {
        add("prefetch", {buffer.name, loop, std::int64_t{2}});
        add("prefetch", {buffer.name, loop, std::int64_t{1}, loops_.back()});
      }
      const Texts maps = buffer.shape.size() == 1 ? Texts{"a -> a/2 a%2", "a -> a%4 a/4"}
                         : buffer.shape.size() == 2
                             ? Texts{"a b -> b a", "a b -> (b a)", "a b -> a/2 b a%2"}
                             : Texts{};
      for (const std::string& map : maps) add("transform_layout", {buffer.name, map});
    }
  }

  Texts loops_;
  std::vector<const Block*> blocks_;
  std::vector<Buffer> buffers_;
  std::vector<Texts> chains_;
  std::vector<Instruction> calls_;
};

}  // namespace

std::vector<Instruction> every_call(const loop::Func& func) { return Calls(func).all(); }

}  // namespace loopglass::schedule
