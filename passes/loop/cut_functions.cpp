#include "passes/loop/cut_functions.h"

#include "core/loop/annotations.h"
#include "core/loop/rewrite.h"
#include "core/loop/uses.h"

#include <fmt/core.h>

namespace loopglass::passes {

using namespace loop;

namespace {

bool lies_in_workspace(const Stmt& stmt) {
  const Alloc* alloc = as<Alloc>(stmt);
  return alloc && (alloc->buffer.scope == Scope::Workspace || alloc->buffer.scope == Scope::Global);
}

std::string title(const Stmt& stmt) {
  if (const For* loop = as<For>(stmt)) return loop->variable;
  if (const Store* store = as<Store>(stmt)) return store->buffer;
  if (const Alloc* alloc = as<Alloc>(stmt)) return alloc->buffer.name;
  return "if";
}

class FunctionCutting {
 public:
  explicit FunctionCutting(pass::Report& report) : report_(report) {}

  Stmt run(const Stmt& stmt) {
    // A buffer in the workspace is there for all functions.
    if (as<Seq>(stmt) || lies_in_workspace(stmt))
      return map_children(stmt, [&](const Stmt& child) { return run(child); });
    std::int64_t accesses = 0;
    each_access(stmt, [&](const std::string&) { ++accesses; });
    all_ += accesses;
    const bool is_first = in_function_ == 0,
               is_cut = find_annotation(stmt->annotations, function_annotation) != nullptr;
    in_function_ += accesses;
    if (!is_cut && (is_first || in_function_ <= most_accesses)) return stmt;
    in_function_ = accesses;
    functions_ += !is_first;
    if (is_cut) return stmt;
    ++cuts_;
    report_.rewrite({"begin-function", {}, {}, title(stmt)});
    return with_annotations(stmt,
                            annotated(stmt->annotations, {std::string(function_annotation), {}}));
  }

  void tell(const std::string& kernel) const {
    if (cuts_ == 0) return;
    report_.remark({pass::RemarkKind::Applied,
                    "MANY_ACCESSES",
                    kernel,
                    {{"accesses", static_cast<double>(all_)},
                     {"budget", static_cast<double>(most_accesses)},
                     {"functions", static_cast<double>(functions_)}},
                    fmt::format("'{}' becomes {} functions: it has {} loads and stores, and LLVM "
                                "takes long for more than {} in one",
                                kernel, functions_, all_, most_accesses)});
  }

 private:
  pass::Report& report_;
  std::int64_t all_ = 0, in_function_ = 0, functions_ = 1;
  int cuts_ = 0;  // that are new
};

}  // namespace

Result<loop::Func> cut_functions(const loop::Func& func, pass::Report& report) {
  if (!func.body) return func;
  FunctionCutting cutting(report);
  loop::Func result = with_body(func, cutting.run(func.body));
  cutting.tell(func.name);
  return result;
}

pass::Words cut_functions_words() {
  return {{pass::Word::Kind::Rule, "begin-function",
           "From here on a kernel is another function of machine code."},
          {pass::Word::Kind::Remark, "MANY_ACCESSES",
           "A kernel is several functions, for LLVM takes long for one with so many loads and "
           "stores."}};
}

}  // namespace loopglass::passes
