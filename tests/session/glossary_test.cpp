// Every word that a stage shows has its sentence.
#include "core/glossary.h"

#include "core/codegen/instruction_words.h"
#include "core/codegen/kernel_listings.h"
#include "core/codegen/llvm_pass_words.h"
#include "core/glossary_words.h"
#include "core/schedule/primitive.h"
#include "samples/samples.h"
#include "tests/random/random_network.h"
#include "tests/session/session_on.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace loopglass {
namespace {

using codegen::instruction_sentence;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Glossary, KnowsWhateverHasARow) {
  const Toolchain toolchain = passes::toolchain();
  for (const std::string& word : explained_words(toolchain)) {
    const auto found = explain(toolchain, word);
    ASSERT_FALSE(found.empty()) << word;
    for (const Explanation& each : found) EXPECT_GE(each.sentence.size(), 8u) << word;
  }
  EXPECT_THAT(explain(toolchain, "fold-batch-norm"), SizeIs(1));
  EXPECT_THAT(explain(toolchain, "SECOND_ANCHOR"), SizeIs(1));
  EXPECT_THAT(explain(toolchain, "vectorized"), SizeIs(1));
  EXPECT_THAT(explain(toolchain, "shufflevector"), SizeIs(1));
  EXPECT_THAT(explain(toolchain, "add"), SizeIs(2)) << "LLVM's and the processor's";
  for (const char* word : {"anchor", "path", "near miss", "OutElementwiseFusable", "@canonical",
                           "@winograd", "NOT_ROWS", "COMPUTE"})
    EXPECT_THAT(explain(toolchain, word), SizeIs(1)) << word;
  EXPECT_THAT(explain(toolchain, "conv1_weight"), SizeIs(0));
  EXPECT_THAT(explain(toolchain, ""), SizeIs(0));
}

// The README has the same words, in the same sentences.
TEST(Glossary, IsThatOfTheReadme) {
  std::ifstream file(LOOPGLASS_README);
  const std::string readme{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(readme.empty());
  std::string before;
  for (const GlossaryWord& word : glossary_words()) {
    std::string small(word.word);
    for (char& letter : small)
      letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    EXPECT_LT(before, small) << "by the alphabet";
    before = small;
    EXPECT_THAT(readme, HasSubstr("| " + std::string(word.word) + " | " +
                                  std::string(word.sentence) + " |\n"));
  }
}

std::set<std::pair<pass::Word::Kind, std::string>> words_of_passes() {
  std::set<std::pair<pass::Word::Kind, std::string>> known;
  const Toolchain toolchain = passes::toolchain();
  const auto add = [&](const pass::Words& words) {
    for (const pass::Word& word : words) known.emplace(word.kind, word.name);
  };
  for (const pass::GraphPass& pass : toolchain.graph_passes) {
    if (pass.words != nullptr) add(pass.words());
    known.emplace(pass::Word::Kind::Rule, pass.info.name);  // one of a single rule may be called so
  }
  for (const pass::FuncPass& pass : toolchain.loop_passes)
    if (pass.words != nullptr) add(pass.words());
  add(pass::runner_words());
  return known;
}

template <class History>
void expect_known(const History& history) {
  static const auto known = words_of_passes();
  for (const auto& step : history.steps) {
    for (const pass::Rewrite& rewrite : step.rewrites)
      EXPECT_TRUE(known.contains({pass::Word::Kind::Rule, rewrite.rule}))
          << step.pass.name << ": " << rewrite.rule;
    for (const pass::Remark& remark : step.remarks)
      EXPECT_TRUE(known.contains({pass::Word::Kind::Remark, remark.code}))
          << step.pass.name << ": " << remark.code;
  }
}

// What passes do to networks, by every preset, and to the kernels of one.
TEST(Glossary, KnowsWhatPassesSay) {
  for (std::uint32_t seed = 0; seed < 20; ++seed)
    for (const pass::Preset& preset : passes::presets()) {
      SessionOptions options;
      options.pipeline = "@" + preset.name;
      const auto session =
          session_on(test::random_network(seed, {.operators = 12}), std::move(options));
      expect_known(*session->graph_history().value());
    }
  for (const char* sample : {"lenet", "mobilenet_v1", "encoder"}) {
    const auto session = session_on(samples::find_sample(sample)->build(0).value());
    expect_known(*session->graph_history().value());
    for (const fusion::Group& group : session->plan().value()->groups) {
      const auto kernel = session->kernel(group.id).value();
      if (!kernel->is_view) expect_known(kernel->lowering);
    }
  }
}

// What no network of a test makes them say stands in their sources.
TEST(Glossary, KnowsTheCodesInTheSourcesOfPasses) {
  const auto known = words_of_passes();
  const std::regex code("\"([A-Z]+(_[A-Z]+)+)\"");
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(LOOPGLASS_PASSES)) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    std::string source{std::istreambuf_iterator<char>(file), {}};
    // Its words, at the end, are what it is held against.
    source.resize(std::min(source.size(), source.find("\npass::Words ")));
    for (std::sregex_iterator at(source.begin(), source.end(), code), end; at != end; ++at)
      found.insert((*at)[1]);
  }
  EXPECT_GT(found.size(), 30u);
  for (const std::string& each : found)
    EXPECT_TRUE(known.contains({pass::Word::Kind::Remark, each})) << each;
  // And none has a sentence that nothing says.
  for (const auto& [kind, name] : known)
    if (kind == pass::Word::Kind::Remark && name.find("_") != std::string::npos &&
        name != "FIXED_POINT_NOT_REACHED") {
      EXPECT_TRUE(found.contains(name)) << name;
    }
}

// Loops are called by their role, and every role has its sentence.
TEST(Glossary, KnowsTheAxesOfLoopNests) {
  const Toolchain toolchain = passes::toolchain();
  for (const char* role : {"n", "oc", "oc_o", "oc_i", "oh", "ow", "ic", "kh", "kw", "i", "j", "k"})
    EXPECT_THAT(explain(toolchain, role), SizeIs(1)) << role;
  EXPECT_THAT(explain(toolchain, "oc_o").front().sentence, HasSubstr("outer"));
  for (const char* other : {"oc_x", "o", "_o", "och"})
    EXPECT_THAT(explain(toolchain, other), SizeIs(0)) << other;
}

TEST(Glossary, KnowsRegisters) {
  const Toolchain toolchain = passes::toolchain();
  EXPECT_THAT(explain(toolchain, "ymm0").front().sentence, HasSubstr("8 numbers of float32"));
  for (const char* name : {"xmm15", "zmm31", "rax", "r8", "r15", "edx", "rsp"})
    EXPECT_THAT(explain(toolchain, name), SizeIs(1)) << name;
  for (const char* other : {"ymm32", "ymm", "wmm1", "r7", "r16", "r"})
    EXPECT_THAT(explain(toolchain, other), SizeIs(0)) << other;
}

TEST(InstructionWords, AreDerivedFromTheMnemonicsParts) {
  EXPECT_EQ(instruction_sentence("vfmadd231ps"),
            "Multiplies and adds with a single rounding, first = second * third + first: float32 "
            "numbers in every lane.");
  EXPECT_EQ(instruction_sentence("vfnmsub132sd"),
            "Multiplies and subtracts with a single rounding, first = -first * third - second: one "
            "float64 number, in the "
            "lowest lane.");
  EXPECT_EQ(instruction_sentence("vaddps"), "Adds: float32 numbers in every lane.");
  EXPECT_EQ(instruction_sentence("addss"), "Adds: one float32 number, in the lowest lane.");
  EXPECT_EQ(instruction_sentence("vpaddd"), "Adds: 32-bit integers in every lane.");
  EXPECT_THAT(instruction_sentence("vcmpltps"), HasSubstr("less; float32"));
  EXPECT_THAT(instruction_sentence("vcvttps2dq"),
              HasSubstr("float32 to 32-bit integers, cutting off"));
  EXPECT_THAT(instruction_sentence("vpmovzxbd"), HasSubstr("from 8 to 32 bits"));
  EXPECT_THAT(instruction_sentence("vinsertf64x4"), HasSubstr("256 bits"));
  EXPECT_THAT(instruction_sentence("kmovw"), HasSubstr("16 lanes"));
  EXPECT_THAT(instruction_sentence("jne"), HasSubstr("not equal"));
  EXPECT_THAT(instruction_sentence("cmovge"), HasSubstr("greater or equal"));
}

TEST(InstructionWords, SayNothingOfWhatTheyDoNotKnow) {
  for (const char* word :
       {"", "v", "k", "zmm1", "xyz", "vfmadd231", "vfmadd999ps", "relu1", "jx", "ps"})
    EXPECT_EQ(instruction_sentence(word), "") << word;
}

// Of kernels as they are made for this machine.
TEST(InstructionWords, KnowWhatKernelsEmit) {
  for (const char* sample : {"mlp", "lenet"}) {
    auto session = session_on(samples::find_sample(sample)->build(0).value());
    for (const fusion::Group& group : session->plan().value()->groups) {
      const auto listings = session->listings(group.id);
      ASSERT_TRUE(listings);
      const auto& assembly = (*listings)->assembly();
      for (const codegen::SourceLine& line : assembly) {
        std::string_view text = line.text;
        const std::size_t begin = text.find_first_not_of(" \t");
        if (begin == std::string_view::npos || begin == 0) continue;
        text = text.substr(begin);
        if (text.front() == '.' || text.front() == '#' || text.back() == ':') continue;
        const std::string_view mnemonic = text.substr(0, text.find_first_of(" \t"));
        EXPECT_NE(instruction_sentence(mnemonic), "") << line.text;
      }
    }
  }
}

TEST(LlvmPassWords, KnowThePassesThatChangeKernels) {
  auto session = session_on(samples::find_sample("lenet")->build(0).value());
  std::set<std::string> steps;
  for (const fusion::Group& group : session->plan().value()->groups) {
    const auto listings = session->listings(group.id).value();
    for (const auto* of : {&listings->llvm_steps(), &listings->machine_steps()})
      for (const std::string& step : *of) {
        steps.insert(step);
        steps.insert(step.substr(0, step.find(", ")));
      }
    for (const codegen::LlvmRemark& remark : listings->remarks()) steps.insert(remark.pass);
  }
  EXPECT_GT(steps.size(), 5u);
  for (const std::string& step : steps) EXPECT_NE(codegen::llvm_pass_sentence(step), "") << step;
  EXPECT_EQ(codegen::llvm_pass_sentence("simplifycfg<bonus-inst-threshold=1>"),
            codegen::llvm_pass_sentence("simplifycfg"));
  EXPECT_EQ(codegen::llvm_pass_sentence("nonsense"), "");
}

}  // namespace
}  // namespace loopglass
