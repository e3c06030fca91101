// Inputs like others, but spoiled: what a fuzzer does that knows nothing of the program.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace loopglass::fuzz {

class Mutation {
 public:
  // What is put in comes from these, words and numbers whole.
  Mutation(std::vector<std::string> seeds, std::uint64_t number);

  // One of the seeds with some changes; at most 64 KiB.
  std::string next();

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }
  const std::string& one_of(const std::vector<std::string>& texts) {
    return texts[below(texts.size())];
  }
  void change(std::string& text);

  std::vector<std::string> seeds_, words_;
  std::mt19937_64 random_;
};

}  // namespace loopglass::fuzz
