#include "app/common/vocabulary.h"

#include "passes/pipeline.h"
#include "samples/kernel_samples.h"
#include "samples/samples.h"

namespace loopglass::app {

namespace {

std::vector<std::string> with(std::vector<std::string> words, std::vector<std::string> more) {
  words.insert(words.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  return words;
}

}  // namespace

std::vector<std::string> sample_names() {
  std::vector<std::string> names;
  for (const samples::Sample& sample : samples::all_samples()) names.push_back(sample.name);
  for (const samples::KernelSample& sample : samples::all_kernel_samples())
    names.push_back(sample.name);
  return names;
}

std::vector<std::string> graph_pass_names() {
  std::vector<std::string> names;
  for (const pass::GraphPass& pass : passes::graph_passes({})) names.push_back(pass.info.name);
  return names;
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names = graph_pass_names();
  for (const pass::FuncPass& pass : passes::loop_passes()) names.push_back(pass.info.name);
  return names;
}

std::vector<std::string> pipeline_words() {
  std::vector<std::string> words;
  for (const pass::Preset& preset : passes::presets()) words.push_back("@" + preset.name);
  return with(std::move(words), graph_pass_names());
}

std::vector<std::string> place_words() { return with({"input", "last"}, graph_pass_names()); }

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const fusion::Strategy& strategy : passes::fusion_strategies())
    names.push_back(strategy.name);
  return names;
}

}  // namespace loopglass::app
