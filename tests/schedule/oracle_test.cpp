// Every primitive, with every small argument, on every nest of dependence_nests.h, judged by brute
// force. What is taken for legal and is not fails. What is refused and would be legal is counted
// where the nest that the primitive would make is plain: loops exchanged, or of another kind.
#include "tests/schedule/oracle.h"
#include "core/dependence/witness.h"
#include "core/loop/path.h"
#include "core/loop/rewrite.h"
#include "core/loop/text.h"
#include "core/schedule/loop_kinds.h"
#include "core/script/replayer.h"
#include "tests/schedule/dependence_nests.h"
#include "tests/schedule/every_call.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cstdlib>
#include <map>

namespace loopglass::schedule {

using namespace loop;

namespace {

// Whether the call leaves block instances what they are; a tail that is peeled off is another
// block.
bool keeps_instances(const Instruction& call) {
  constexpr std::string_view keeping[] = {"split",    "fuse",      "reorder", "tile",
                                          "parallel", "vectorize", "unroll",  "set_scope"};
  const bool peels = call.primitive == "split" && call.arguments.size() == 3;
  return !peels &&
         std::find(std::begin(keeping), std::end(keeping), call.primitive) != std::end(keeping);
}

// What reorder would make of a chain of loops, whether or not it may.
std::optional<loop::Func> exchanged(const loop::Func& func,
                                    const std::vector<std::string>& wanted) {
  const auto path = find_loop(func, wanted.front());
  if (!path) return std::nullopt;
  std::optional<std::size_t> first;
  for (std::size_t k = 0; k < path->statements.size(); ++k)
    if (const For* node = loop::as<For>(path->statements[k]);
        node && !first && std::find(wanted.begin(), wanted.end(), node->variable) != wanted.end())
      first = k;
  std::vector<const For*> chain;
  Stmt body = path->statements[*first];
  std::size_t found = 0;
  while (found < wanted.size()) {
    const For* node = loop::as<For>(body);
    if (!node) return std::nullopt;
    found += std::count(wanted.begin(), wanted.end(), node->variable);
    chain.push_back(node);
    body = node->body;
  }
  std::size_t next = 0;
  std::vector<const For*> order;
  for (const For* node : chain) {
    const bool moves = std::count(wanted.begin(), wanted.end(), node->variable) > 0;
    const std::string variable = moves ? wanted[next++] : node->variable;
    order.push_back(*std::find_if(chain.begin(), chain.end(),
                                  [&](const For* f) { return f->variable == variable; }));
  }
  for (std::size_t k = order.size(); k-- > 0;) body = loop::over(*order[k], body);
  return with_body(func, replace(*path, *first, body));
}

std::optional<loop::Func> what_it_would_make(const loop::Func& func, const Instruction& call) {
  if (call.primitive == "reorder")
    return exchanged(func, std::get<std::vector<std::string>>(call.arguments[0]));
  if (call.primitive != "parallel" && call.primitive != "vectorize") return std::nullopt;
  const bool parallel = call.primitive == "parallel";
  const auto path = find_loop(func, std::get<std::string>(call.arguments[0]));
  // That a loop is not outermost, or its extent not constant, is no matter of dependences.
  if (!path || (parallel ? !path->loops().empty() : !expr::as_integer(path->loop().extent)))
    return std::nullopt;
  return with_kind(func, *path, parallel ? loop::ForKind::Parallel : loop::ForKind::Vectorized)
      .func;
}

struct Count {
  int legal = 0, refused = 0, needlessly = 0, wrong = 0;
};

class Judge {
 public:
  void nest(const std::string& text) {
    const auto func = loop::parse(text);
    ASSERT_TRUE(func) << to_string(func.error()) << "\n" << text;
    Oracle oracle(*func);
    if (!oracle.has_meaning()) {
      ++meaningless_;
      return;
    }
    ++nests_;
    for (const Instruction& call : every_call(*func)) judge(*func, call, oracle);
  }

  void judge(const loop::Func& func, const Instruction& call, Oracle& oracle) {
    Count& count = counts_[call.primitive];
    Replayer replayer(func);
    const auto step = replayer.run(call);
    if (!step) {
      ++count.refused;
      const auto made = what_it_would_make(func, call);
      if (!made || !loop::verify(*made)) return;
      const std::string objection =
          oracle.objection(*made, Terms::InAnyOrder, Instances::AsTheyWere);
      agree(func, call, objection);
      if (objection.empty()) {
        ++count.needlessly;
        if (std::getenv("LOOPGLASS_REFUSALS"))
          fmt::print("{}\n{}\n{}\n", to_string(step.error()), to_script(call), loop::to_text(func));
      }
      return;
    }
    ++count.legal;
    agree(func, call, "");
    const Terms terms = (*step)->remark.empty() ? Terms::InOrder : Terms::InAnyOrder;
    const std::string found =
        oracle.objection((*step)->func, terms,
                         keeps_instances(call) ? Instances::AsTheyWere : Instances::Rearranged);
    if (found.empty()) return;
    if (++count.wrong <= 3)
      ADD_FAILURE() << to_script(call) << " is no longer the same: " << found << "\n"
                    << loop::to_text(func) << loop::to_text((*step)->func);
  }

  // What a refusal shows is there, and where nothing is in the way nothing is found.
  void agree(const loop::Func& func, const Instruction& call, const std::string& objection) {
    const auto [primitive, arguments] = Replayer(func).call_of(call).value();
    if (!primitive->witness) return;
    const Search search = primitive->witness(func, arguments);
    if (search.searched == Searched::Nothing) return;  // it is refused for another reason
    const bool clashes = search.searched == Searched::Derived || search.searched == Searched::Found;
    EXPECT_EQ(clashes, !objection.empty())
        << to_script(call) << ": " << objection << "\n"
        << (search.witness ? visit_words(search.witness->first, *search.witness) + "\n" +
                                 visit_words(search.witness->second, *search.witness) + "\n"
                           : "")
        << loop::to_text(func);
    ++agreed_[search.searched];
  }

  void print() const {
    fmt::print("{} nests, {} without a meaning of their own\n", nests_, meaningless_);
    fmt::print("{:<24} {:>7} {:>7} {:>18} {:>12}\n", "primitive", "legal", "refused",
               "of these needlessly", "false legal");
    for (const auto& [primitive, count] : counts_)
      fmt::print("{:<24} {:>7} {:>7} {:>18} {:>12}\n", primitive, count.legal, count.refused,
                 count.needlessly, count.wrong);
  }
  // Of every primitive some calls were legal: else nothing was tried.
  void expect_all(const std::vector<std::string>& primitives) {
    for (const std::string& primitive : primitives)
      EXPECT_GT(counts_[primitive].legal, 0) << primitive;
    for (const auto& [primitive, count] : counts_) EXPECT_EQ(count.wrong, 0) << primitive;
    EXPECT_GT(agreed_[Searched::Derived], 100);
    EXPECT_GT(agreed_[Searched::Everything], 100);
  }

 private:
  int nests_ = 0, meaningless_ = 0;
  std::map<Searched, int> agreed_;  // of searches for a witness
  std::map<std::string, Count> counts_;
};

TEST(Oracle, OnNestsOfOneBlock) {
  Judge judge;
  for (const std::string& text : single_block_nests()) judge.nest(text);
  judge.print();
  judge.expect_all({"split", "fuse", "reorder", "tile", "parallel", "vectorize", "unroll",
                    "cache_read", "cache_write", "decompose_reduction", "rfactor"});
}

TEST(Oracle, OnNestsOfSeveralBlocks) {
  Judge judge;
  for (const std::string& text : several_block_nests()) judge.nest(text);
  judge.print();
  std::vector<std::string> all;
  for (const Primitive& primitive : all_primitives()) all.push_back(primitive.name);
  std::erase(all, "rfactor");  // wants two loops to sum over
  judge.expect_all(all);
}

}  // namespace

}  // namespace loopglass::schedule
