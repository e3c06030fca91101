#include "core/glossary.h"

#include "core/codegen/instruction_words.h"
#include "core/codegen/llvm_instruction_words.h"
#include "core/codegen/llvm_pass_words.h"
#include "core/contributed/function.h"
#include "core/fusion/pattern_kind.h"
#include "core/glossary_words.h"
#include "core/loop/intrinsics.h"
#include "core/loop/nest_words.h"
#include "core/ops/registry.h"
#include "core/placement/copy_reason.h"
#include "core/roofline/verdict.h"
#include "core/script/sampling.h"
#include "core/support/diagnostic.h"
#include "core/te/axis_roles.h"
#include "core/tune/cost_model.h"
#include "core/tune/layouts.h"
#include "core/tune/search.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass {

namespace {

// What passes that are made alike say alike stands there once, with all of them.
void add_words(const Toolchain& toolchain, std::vector<Explanation>& rows) {
  const std::size_t before = rows.size();
  const auto add = [&](const std::string& pass, const pass::Words& words) {
    for (const pass::Word& word : words) {
      const std::string kind = word.kind == pass::Word::Kind::Rule ? "rewrite" : "remark";
      const auto known = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(before),
                                      rows.end(), [&](const Explanation& row) {
                                        return row.name == word.name &&
                                               row.sentence == word.sentence &&
                                               row.kind.starts_with(kind);
                                      });
      if (known != rows.end()) known->kind += ", " + pass;
      else rows.push_back({kind + " of " + pass, word.name, word.sentence});
    }
  };
  for (const pass::GraphPass& pass : toolchain.graph_passes)
    if (pass.words != nullptr) add(pass.info.name, pass.words());
  for (const pass::FuncPass& pass : toolchain.loop_passes)
    if (pass.words != nullptr) add(pass.info.name, pass.words());
  add("whatever runs passes", pass::runner_words());
}

// Everything that has a row in a table, whoever asks.
std::vector<Explanation> all_rows(const Toolchain& toolchain) {
  std::vector<Explanation> rows;
  for (const pass::GraphPass& pass : toolchain.graph_passes)
    rows.push_back({"graph pass", pass.info.name, pass.info.doc});
  for (const pass::Preset& preset : toolchain.presets)
    rows.push_back({"preset of graph passes", "@" + preset.name, preset.doc});
  for (const fusion::Strategy& strategy : toolchain.strategies)
    rows.push_back({"fusion strategy", strategy.name, strategy.doc});
  for (std::size_t i = 0; i < fusion::reason_count; ++i) {
    const auto reason = static_cast<fusion::Reason>(i);
    rows.push_back({"verdict of fusion", std::string(fusion::name(reason)),
                    std::string(fusion::explanation(reason))});
  }
  for (const fusion::PatternKind kind : fusion::all_pattern_kinds)
    rows.push_back({"kind of an operator", std::string(fusion::name(kind)),
                    std::string(fusion::explanation(kind))});
  for (std::size_t i = 0; i < placement::copy_reason_count; ++i) {
    const auto reason = static_cast<placement::CopyReason>(i);
    rows.push_back({"reason of a copy", std::string(placement::name(reason)),
                    std::string(placement::explanation(reason))});
  }
  for (const schedule::Primitive& primitive : schedule::all_primitives())
    rows.push_back({"schedule primitive", primitive.name, primitive.doc});
  for (const schedule::Sampling& sampling : schedule::all_samplings())
    rows.push_back({"decision of a schedule", sampling.name, sampling.doc});
  for (const tune::SpaceKind& kind : tune::all_space_kinds())
    rows.push_back({"space of schedules", kind.name, kind.doc});
  for (const tune::SearchKind& kind : tune::all_search_kinds())
    rows.push_back({"search", kind.name, kind.doc});
  for (const tune::CostModelKind& kind : tune::all_cost_model_kinds())
    rows.push_back({"cost model", kind.name, kind.doc});
  for (const tune::Layout layout : tune::all_layouts)
    rows.push_back({"layout strategy", std::string(name(layout)), std::string(tune::doc(layout))});
  for (const roofline::Bound bound : roofline::all_bounds)
    rows.push_back({"what binds a kernel", std::string(name(bound)),
                    fmt::format("{} {}", roofline::doc(bound), roofline::advice(bound))});
  for (const roofline::Experiment experiment : roofline::all_experiments)
    rows.push_back({"experiment", std::string(name(experiment)), std::string(doc(experiment))});
  for (const loop::Intrinsic& intrinsic : loop::all_intrinsics())
    rows.push_back({"intrinsic", intrinsic.name, intrinsic.doc});
  for (const pass::FuncPass& pass : toolchain.loop_passes)
    rows.push_back({"loop pass", pass.info.name, pass.info.doc});
  add_words(toolchain, rows);
#define CODE(name, number, title) rows.push_back({"diagnostic", code_name(Code::name), title});
  LOOPGLASS_DIAGNOSTIC_CODES(CODE)
#undef CODE
  for (const ops::OpDef& op : ops::all_operators()) rows.push_back({"operator", op.name, op.doc});
  for (const contributed::Function& function : contributed::all_functions())
    rows.push_back(
        {fmt::format("operator of {}", function.domain.empty() ? "ai.onnx" : function.domain),
         std::string(function.name), std::string(function.doc)});
  for (const GlossaryWord& word : glossary_words())
    rows.push_back({"word", std::string(word.word), std::string(word.sentence)});
  return rows;
}

}  // namespace

std::vector<Explanation> explain(const Toolchain& toolchain, std::string_view word) {
  std::vector<Explanation> found;
  for (Explanation& row : all_rows(toolchain))
    if (row.name == word) found.push_back(std::move(row));
  if (const auto sentence = loop::nest_word_sentence(word); !sentence.empty())
    found.push_back({"word of loop nests", std::string(word), std::string(sentence)});
  if (auto sentence = te::role_sentence(word); !sentence.empty())
    found.push_back({"axis of loop nests", std::string(word), std::move(sentence)});
  if (const auto sentence = codegen::llvm_pass_sentence(word); !sentence.empty())
    found.push_back({"pass of LLVM", std::string(word), std::string(sentence)});
  if (const auto sentence = codegen::llvm_instruction_sentence(word); !sentence.empty())
    found.push_back({std::string(llvm_instruction), std::string(word), std::string(sentence)});
  if (auto sentence = codegen::instruction_sentence(word); !sentence.empty())
    found.push_back({std::string(x86_instruction), std::string(word), std::move(sentence)});
  if (auto sentence = codegen::register_sentence(word); !sentence.empty())
    found.push_back({"x86 register", std::string(word), std::move(sentence)});
  return found;
}

std::vector<std::string> explained_words(const Toolchain& toolchain) {
  std::vector<std::string> words;
  for (Explanation& row : all_rows(toolchain)) words.push_back(std::move(row.name));
  return words;
}

}  // namespace loopglass
