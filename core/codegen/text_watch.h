// Telling whether a pass changed what a listing shows, without printing it: printing a large module
// takes longer than a pass over it, and there are hundreds of passes, most of them over one loop of
// many.
#pragma once

#include <cstdint>
#include <memory>

namespace llvm {
class Function;
class Loop;
class Module;
}  // namespace llvm

namespace loopglass::codegen {

// Remembers the text of a module as hashes, block by block. Values go by their addresses, so a
// watch is of use only while its module lives. What listings leave out (metadata, attribute groups)
// is left out.
class TextWatch {
 public:
  explicit TextWatch(const llvm::Module& module);  // as it is now
  ~TextWatch();

  // Each of these: whether the text differs from what it was when it was last looked at.
  bool look_at_all();
  bool look_at(const llvm::Function& function);
  // After a pass over one loop: looks around it, in time proportional to the loop. Where nothing is
  // found there and the pass `says_changed`, at the whole function.
  bool look_at(const llvm::Loop& loop, bool says_changed);
  bool look_for_new_and_gone_functions();
  // To be called before a pass over any of these: of what passes over loops did, only what is
  // around the loops is known.
  void catch_up(const llvm::Loop& loop);
  void catch_up(const llvm::Function& function);
  void catch_up();

  std::uint64_t blocks_hashed() const;  // so far: the work that was done

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loopglass::codegen
