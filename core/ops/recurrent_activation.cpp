#include "core/ops/recurrent_activation.h"

#include "core/support/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace loopglass::ops {

namespace {

using expr::unary;
using expr::UnaryOperator;

struct Row {
  std::string_view name;
  std::optional<double> alpha, beta;  // defaults, where the function has the parameter
  Expr (*apply)(const Expr& x, double alpha, double beta);
};

const Row activations[]{
    {"tanh", {}, {}, [](const Expr& x, double, double) { return unary(UnaryOperator::Tanh, x); }},
    {"sigmoid",
     {},
     {},
     [](const Expr& x, double, double) {
       return constant_like(x, 1) / (constant_like(x, 1) + exponential(-x));
     }},
    {"relu",
     {},
     {},
     [](const Expr& x, double, double) { return expr::max(x, constant_like(x, 0)); }},
    {"affine", 1.0, 0.0,
     [](const Expr& x, double alpha, double beta) {
       return constant_like(x, alpha) * x + constant_like(x, beta);
     }},
    {"leakyrelu",
     0.01,
     {},
     [](const Expr& x, double alpha, double) {
       return expr::select(x < constant_like(x, 0), constant_like(x, alpha) * x, x);
     }},
    {"thresholdedrelu",
     1.0,
     {},
     [](const Expr& x, double alpha, double) {
       return expr::select(x > constant_like(x, alpha), x, constant_like(x, 0));
     }},
    {"scaledtanh", 1.0, 1.0,
     [](const Expr& x, double alpha, double beta) {
       return constant_like(x, alpha) * unary(UnaryOperator::Tanh, constant_like(x, beta) * x);
     }},
    {"hardsigmoid", 0.2, 0.5,
     [](const Expr& x, double alpha, double beta) {
       return expr::max(
           expr::min(constant_like(x, alpha) * x + constant_like(x, beta), constant_like(x, 1)),
           constant_like(x, 0));
     }},
    {"elu",
     1.0,
     {},
     [](const Expr& x, double alpha, double) {
       return expr::select(x < constant_like(x, 0),
                           constant_like(x, alpha) * (exponential(x) - constant_like(x, 1)), x);
     }},
    {"softsign",
     {},
     {},
     [](const Expr& x, double, double) { return x / (constant_like(x, 1) + absolute(x)); }},
    // log(1 + e^x), without overflow.
    {"softplus",
     {},
     {},
     [](const Expr& x, double, double) {
       const Expr tail = unary(UnaryOperator::Log, constant_like(x, 1) + exponential(-absolute(x)));
       return expr::max(x, constant_like(x, 0)) + tail;
     }},
};

const Row* find(std::string_view name) {
  const auto found = std::ranges::find(activations, name, &Row::name);
  return found == std::end(activations) ? nullptr : found;
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The next of the given parameters, or the function's default.
double take(const std::vector<double>& given, std::size_t& next, double fallback) {
  return next < given.size() ? given[next++] : fallback;
}

std::vector<double> reals_or_none(const Attributes& attributes, const std::string& name) {
  return attributes.has(name) ? attributes.reals(name) : std::vector<double>{};
}

}  // namespace

Expr CellActivation::operator()(const Expr& x) const {
  const Row* row = find(name);
  CHECK(row != nullptr, "an activation that infer should have refused");
  return row->apply(x, alpha, beta);
}

Result<std::vector<CellActivation>> cell_activations(const Attributes& attributes,
                                                     const std::vector<std::string>& defaults,
                                                     std::size_t directions) {
  std::vector<std::string> names;
  if (const AttributeValue* given = attributes.find("activations"))
    names = std::get<std::vector<std::string>>(*given);
  for (std::size_t k = 0; names.size() < defaults.size() * directions && (k > 0 || names.empty());
       ++k)
    names.push_back(defaults[k % defaults.size()]);
  if (names.size() != defaults.size() * directions)
    return misused(fmt::format("{} activations where {} are wanted", names.size(),
                               defaults.size() * directions));
  const auto alphas = reals_or_none(attributes, "activation_alpha"),
             betas = reals_or_none(attributes, "activation_beta");
  std::size_t next_alpha = 0, next_beta = 0;
  std::vector<CellActivation> activations;
  for (const std::string& name : names) {
    const Row* row = find(lower_case(name));
    if (row == nullptr)
      return unsupported_attribute(fmt::format("activation '{}' is not known", name));
    CellActivation activation{std::string(row->name)};
    if (row->alpha) activation.alpha = take(alphas, next_alpha, *row->alpha);
    if (row->beta) activation.beta = take(betas, next_beta, *row->beta);
    activations.push_back(activation);
  }
  if (next_alpha != alphas.size() || next_beta != betas.size())
    return unsupported_attribute(
        "more activation_alpha or activation_beta than the activations have parameters");
  return activations;
}

}  // namespace loopglass::ops
