#include "app/common/option_words.h"

#include <CLI/CLI.hpp>

namespace loopglass::app {

namespace {

// Null where there is none of that name.
const CLI::Validator* find(const CLI::Option& option, std::string_view name) {
  try {
    // Not declared const, since what is found may be changed.
    return const_cast<CLI::Option&>(option).get_validator(std::string(name));
  } catch (const CLI::OptionNotFound&) {
    return nullptr;
  }
}

}  // namespace

std::vector<std::string> words_of(const CLI::Option& option) {
  const CLI::Validator* offer = find(option, offer_name);
  const std::string words = offer == nullptr ? "" : offer->get_description();
  return words.empty() ? std::vector<std::string>() : CLI::detail::split(words, '\n');
}

bool is_list(const CLI::Option& option) { return find(option, list_name) != nullptr; }

}  // namespace loopglass::app
