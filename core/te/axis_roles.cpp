#include "core/te/axis_roles.h"

#include "core/expr/linear.h"
#include "core/expr/rewrite.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace loopglass::te {

namespace {

using Roles = std::vector<std::string>;

std::vector<expr::Load> loads_of(const Expr& body) {
  std::vector<expr::Load> loads;
  expr::visit(body, [&](const Expr& e) {
    if (const auto* load = e.as<expr::Load>()) loads.push_back(*load);
  });
  return loads;
}

bool uses(const expr::Load& load, const std::string& variable) {
  return std::ranges::any_of(
      load.indices, [&](const Expr& index) { return expr::uses_variable(index, variable); });
}

bool has(const std::vector<Axis>& axes, const std::string& name) {
  return std::ranges::any_of(axes, [&](const Axis& axis) { return axis.name == name; });
}

// Twice the same is an outer and an inner axis; more are numbered.
Roles unique(Roles roles) {
  std::map<std::string, int> count, seen;
  for (const std::string& role : roles) ++count[role];
  for (std::string& role : roles) {
    const int all = count[role], number = seen[role]++;
    if (all == 2) role += number == 0 ? "_o" : "_i";
    else if (all > 2) role += fmt::format("_{}", number);
  }
  return roles;
}

// An output axis and the reduction axis that walk a window together: oh + kh.
struct Window {
  std::size_t load, dimension;  // where
  std::string moves, within;    // the axes
};

class Naming {
 public:
  explicit Naming(const Program& program) : program_(program), roles_(program.stages.size()) {}

  std::vector<Roles> run() {
    for (std::size_t i = 0; i < roles_.size(); ++i)
      if (!program_.stages[i].reduce_axes.empty())
        roles_[i] = unique(name_reduction(program_.stages[i]));
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      const Stage& stage = program_.stages[i];
      if (roles_[i].empty()) roles_[i] = unique(inherited(stage));
      made_.insert(stage.output.name);
      dimensions_[stage.output.name] =
          Roles(roles_[i].begin(), roles_[i].begin() + std::ssize(stage.axes));
    }
    return std::move(roles_);
  }

 private:
  static std::vector<Window> windows(const Stage& stage, const std::vector<expr::Load>& loads) {
    std::vector<Window> found;
    for (std::size_t l = 0; l < loads.size(); ++l)
      for (std::size_t d = 0; d < loads[l].indices.size(); ++d) {
        Window window{l, d, {}, {}};
        for (const auto& [atom, factor] : expr::linear(loads[l].indices[d]).terms) {
          const auto* variable = atom.as<expr::Variable>();
          if (!variable) continue;
          if (has(stage.axes, variable->name)) window.moves = variable->name;
          if (has(stage.reduce_axes, variable->name)) window.within = variable->name;
        }
        const bool known = std::ranges::any_of(
            found, [&](const Window& other) { return other.moves == window.moves; });
        if (!window.moves.empty() && !window.within.empty() && !known) found.push_back(window);
      }
    return found;
  }

  Roles name_reduction(const Stage& stage) {
    const std::vector<expr::Load> loads = loads_of(stage.body);
    const std::vector<Window> found = windows(stage, loads);
    if (!found.empty() && found.size() <= 3) return name_windows(stage, loads, found);
    if (auto pointwise = name_pointwise(stage, loads)) return *std::move(pointwise);
    // A product sums over what both factors have.
    if (loads.size() == 2 && stage.reducer == Reducer::Sum &&
        std::ranges::all_of(stage.reduce_axes, [&](const Axis& axis) {
          return uses(loads[0], axis.name) && uses(loads[1], axis.name);
        })) {
      Roles roles;
      for (const Axis& axis : stage.axes) {
        const bool first = uses(loads[0], axis.name), second = uses(loads[1], axis.name);
        roles.push_back(first == second ? "b" : first ? "i" : "j");
      }
      roles.insert(roles.end(), stage.reduce_axes.size(), "k");
      return roles;
    }
    return lettered(stage);
  }

  // A convolution whose windows are single pixels: their axes are in the weights alone.
  static std::optional<Roles> name_pointwise(const Stage& stage,
                                             const std::vector<expr::Load>& loads) {
    if (loads.size() != 2 || stage.reducer != Reducer::Sum) return std::nullopt;
    const expr::Load &data = loads[0], &weights = loads[1];
    const auto is_window = [&](const Axis& axis) {
      return expr::as_integer(axis.extent) == 1 && !uses(data, axis.name);
    };
    const auto windows =
        static_cast<std::size_t>(std::ranges::count_if(stage.reduce_axes, is_window));
    if (windows < 1 || windows > 3 || windows == stage.reduce_axes.size()) return std::nullopt;
    std::vector<std::size_t> image;  // axes of the image, and of images before them
    for (std::size_t a = 0; a < stage.axes.size(); ++a)
      if (!uses(weights, stage.axes[a].name)) image.push_back(a);
    if (image.size() < windows || image.size() > windows + 1) return std::nullopt;
    const std::string_view letters = std::string_view("dhw").substr(3 - windows);
    Roles roles(stage.axes.size());
    for (std::size_t a = 0; a < stage.axes.size(); ++a)
      roles[a] = uses(data, stage.axes[a].name) ? "c" : "oc";
    if (image.size() > windows) roles[image.front()] = "n";
    for (std::size_t w = 0; w < windows; ++w)
      roles[image[image.size() - windows + w]] = fmt::format("o{}", letters[w]);
    std::size_t window = 0;
    for (const Axis& axis : stage.reduce_axes)
      roles.push_back(is_window(axis) ? fmt::format("k{}", letters[window++]) : "ic");
    return roles;
  }

  Roles name_windows(const Stage& stage, const std::vector<expr::Load>& loads,
                     const std::vector<Window>& found) {
    const expr::Load& data = loads[found.front().load];
    const std::string_view letters = std::string_view("dhw").substr(3 - found.size());
    const auto weights = std::ranges::find_if(loads, [&](const expr::Load& load) {
      return load.buffer != data.buffer && uses(load, found.front().within);
    });
    const bool convolves = weights != loads.end();
    Roles roles;
    for (const Axis& axis : stage.axes) {
      const auto window = std::ranges::find(found, axis.name, &Window::moves);
      if (window != found.end())
        roles.push_back(
            fmt::format("o{}", letters[static_cast<std::size_t>(window - found.begin())]));
      else if (!convolves) roles.push_back(roles.empty() ? "n" : "c");
      else if (!uses(*weights, axis.name)) roles.push_back("n");
      else roles.push_back(uses(data, axis.name) ? "c" : "oc");
    }
    for (const Axis& axis : stage.reduce_axes) {
      const auto window = std::ranges::find(found, axis.name, &Window::within);
      if (window != found.end())
        roles.push_back(
            fmt::format("k{}", letters[static_cast<std::size_t>(window - found.begin())]));
      else roles.push_back("ic");
    }
    name_image(stage, data, found, letters, roles);
    return roles;
  }

  // The dimensions of the tensor that a window walks over: n c h w.
  void name_image(const Stage& stage, const expr::Load& data, const std::vector<Window>& found,
                  std::string_view letters, const Roles& roles) {
    Roles dimensions;
    for (std::size_t d = 0; d < data.indices.size(); ++d) {
      const auto window =
          std::ranges::find_if(found, [&](const Window& each) { return each.dimension == d; });
      if (window != found.end()) {
        dimensions.emplace_back(1, letters[static_cast<std::size_t>(window - found.begin())]);
        continue;
      }
      bool is_batch = d == 0 && expr::as_integer(data.indices[d]);  // the only image
      for (std::size_t a = 0; a < stage.axes.size(); ++a)
        is_batch = is_batch ||
                   (roles[a] == "n" && expr::uses_variable(data.indices[d], stage.axes[a].name));
      dimensions.emplace_back(is_batch ? "n" : "c");
    }
    dimensions_.try_emplace(data.buffer, unique(std::move(dimensions)));
  }

  // Of what is read element by element, or of a reader that has said already what its image is
  // called.
  Roles inherited(const Stage& stage) const {
    for (const expr::Load& load : loads_of(stage.body)) {
      const auto known = dimensions_.find(load.buffer);
      if (known == dimensions_.end() || !made_.contains(load.buffer) ||
          load.indices.size() != stage.axes.size())
        continue;
      const bool same =
          std::ranges::equal(load.indices, stage.axes, [](const Expr& index, const Axis& axis) {
            const auto* variable = index.as<expr::Variable>();
            return variable ? variable->name == axis.name
                            : expr::as_integer(index) && expr::as_integer(axis.extent) == 1;
          });
      if (same) return known->second;
    }
    const auto known = dimensions_.find(stage.output.name);
    if (known != dimensions_.end() && known->second.size() == stage.axes.size())
      return known->second;
    return lettered(stage);
  }

  static Roles lettered(const Stage& stage) {
    Roles roles;
    for (std::size_t i = 0; i < stage.axes.size() + stage.reduce_axes.size(); ++i)
      roles.push_back(lettered_role(i));
    return roles;
  }

  const Program& program_;
  std::vector<Roles> roles_;
  std::map<std::string, Roles> dimensions_;  // of tensors
  std::set<std::string> made_;               // by stages that have their names
};

}  // namespace

std::string lettered_role(std::size_t place) {
  constexpr std::string_view letters = "ijklmnopqstuvwxyz";
  return place < letters.size() ? std::string(1, letters[place])
                                : fmt::format("z{}", place - letters.size() + 1);
}

std::string role_sentence(std::string_view role) {
  using Row = std::pair<std::string_view, std::string_view>;
  static constexpr std::array rows{
      Row{"n", "Images of a batch; each is computed by itself."},
      Row{"oc", "Channels of a convolution's result: a filter each."},
      Row{"ic", "Channels of a convolution's input, which its filters sum over."},
      Row{"c", "Channels that stay apart, as in pooling and depthwise convolution."},
      Row{"od", "Planes of the result."},
      Row{"oh", "Rows of the result."},
      Row{"ow", "Columns of the result."},
      Row{"kd", "Planes of the window that a result is computed from."},
      Row{"kh", "Rows of the window that a result is computed from."},
      Row{"kw", "Columns of the window that a result is computed from."},
      Row{"d", "Planes of an image."},
      Row{"h", "Rows of an image."},
      Row{"w", "Columns of an image."},
      Row{"b", "Batches of a matrix product; each is computed by itself."},
      Row{"i", "Rows of a matrix product's result; elsewhere the first axis."},
      Row{"j", "Columns of a matrix product's result; elsewhere the second axis."},
      Row{"k", "What a matrix product sums over; elsewhere the third axis."}};
  const std::string_view name = role.substr(0, role.find('_')), part = role.substr(name.size());
  const auto row = std::ranges::find(rows, name, &Row::first);
  if (row == rows.end()) return {};
  if (part.empty()) return std::string(row->second);
  if (part == "_o")
    return std::string(row->second) + " Of two loops over it the outer, over blocks.";
  if (part == "_i")
    return std::string(row->second) + " Of two loops over it the inner, within a block.";
  return {};
}

bool is_numbered(std::string_view axis) {
  return axis.size() > 1 && (axis[0] == 'i' || axis[0] == 'r') &&
         axis.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

std::vector<std::vector<std::string>> axis_roles(const Program& program) {
  std::vector<Roles> roles = Naming(program).run();
  for (std::size_t s = 0; s < roles.size(); ++s) {
    const Stage& stage = program.stages[s];
    std::size_t place = 0;
    for (const auto* axes : {&stage.axes, &stage.reduce_axes})
      for (const Axis& axis : *axes) {
        if (!is_numbered(axis.name)) roles[s][place] = axis.name;
        ++place;
      }
  }
  return roles;
}

}  // namespace loopglass::te
