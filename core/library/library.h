// A library of hand-written kernels, as a peer of the compiler's own: what it offers, and how it is
// found.
//
// oneDNN is translated by a module of its own (core/library/onednn), a shared object beside the
// program that is loaded when somebody asks for it; without the library the module is not built.
// ONNX Runtime is looked for on the machine (onnx_runtime.h). To ask for what is not there is
// LibraryMissing.
#pragma once

#include "core/library/computation.h"

#include <memory>
#include <string>
#include <string_view>

namespace loopglass::library {

// In what order tensors lie that are the library's from one kernel to the next.
enum class Layouts : std::uint8_t {
  Given,  // as the computation says
  Own     // as the library likes them best
};

// A computation, made ready: constant weights have been moved to where the library wants them. Not
// reentrant.
class Primitive {
 public:
  virtual ~Primitive() = default;
  // The library's name for what computes it ("jit:avx512_core"), and for how tensors lie then
  // ("aBcd16b to aBcd16b").
  virtual std::string implementation() const = 0;
  virtual std::string layouts() const = 0;
  // Written to say what is meant, not to be fast: nobody times it.
  virtual bool is_reference() const = 0;
  // Takes source, operands and what weights are not constant from there, reordered where its own
  // layouts ask for it; the result's memory may hold an operand from now on. `arguments` and its
  // memory live until the next call.
  virtual Result<void> take(const Arguments& arguments) = 0;
  // What is timed. Where the library adds an operand in the result's memory, each time but the
  // first after take() adds to what is there: other numbers, the same work.
  virtual Result<void> compute() = 0;
  // Brings the result to where the arguments want it.
  virtual Result<void> give() = 0;
};

class Library {
 public:
  virtual ~Library() = default;
  virtual std::string name() const = 0;               // "oneDNN"
  virtual std::string version() const = 0;            // "2.6.3"
  virtual std::string instruction_set() const = 0;    // that it may use here
  virtual std::string threading_runtime() const = 0;  // "OpenMP"
  // Uses no more instructions than this level has (core/machine/instruction_level.h) from now on.
  // LibraryRefused where it does not know the level, or has already made something with more.
  virtual Result<void> hold_to(std::string_view level) = 0;
  // How many threads computations run on from now on, which are made by the caller's thread; those
  // that a parallel region then really has.
  virtual int set_threads(int threads) = 0;
  // LibraryRefused, with the library's own word for it. Constant weights and bias are read at once,
  // from `constants`.
  virtual Result<std::unique_ptr<Primitive>> prepare(const Computation& computation,
                                                     Layouts layouts,
                                                     const Arguments& constants) = 0;
};

// "onednn" or "onnxruntime": LibraryMissing with what to install, UsageInvalid for names that
// nobody knows. Stays loaded.
Result<Library*> load(std::string_view name);

// Whether the library of this name takes whole models, too (onnx_runtime.h).
bool takes_models(std::string_view name);

// What a module defines, by this name; another number, another interface.
using Entry = Library* (*)();
inline constexpr const char* entry_name = "loopglass_library_2";

}  // namespace loopglass::library
