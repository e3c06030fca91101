// One function of several, for a variant: std::visit(Overloaded{[](const A&) {...}, ...}, value).
#pragma once

namespace loopglass {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace loopglass
