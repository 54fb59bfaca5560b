// SPDX-License-Identifier: BSD-3-Clause
#include "base/tolerances.hpp"
#include "base/wide.hpp"
#include "linalg/pencil_parts.hpp"
#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
// Entry r of the row of every unknown whose block has more than r unknowns: r = 0 is the diagonal, r = 1 couples an
// unknown to the next one of its block, cyclically. So products are those of long vectors, whatever the sizes of
// blocks.
struct BlockLayer {
  std::vector<Index> rows, columns;
  std::vector<Index> place;  // of each row in this layer
  Vec from, from_v;          // what is multiplied, at `columns`
};

// With u = v + kick a: q <- c q + s u, v <- c u - w q; false if a result is not finite, found out as in
// add_scaled_checked. The eight partial sums also let the compiler use vector instructions.
TRILL_WIDE bool turn_alone(Index n, const double* __restrict c, const double* __restrict s, const double* __restrict w,
                           double kick, const double* __restrict a, double* __restrict q, double* __restrict v) {
  double sums[8] = {};
  const auto turn = [&](Index i, double& sum) {
    const double position = q[i], speed = v[i] + kick * a[i];
    q[i] = c[i] * position + s[i] * speed;
    v[i] = c[i] * speed - w[i] * position;
    sum += 0.0 * q[i] + 0.0 * v[i];
  };
  Index i = 0;
  for (; i + 8 <= n; i += 8)
    for (Index k = 0; k < 8; ++k) turn(i + k, sums[k]);
  for (; i < n; ++i) turn(i, sums[0]);
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum == 0.0;
}

class BlockFunctions final : public MatrixFunctions {
 public:
  BlockFunctions(const Pencil& pencil, std::vector<UnknownBlock> blocks, FunctionFamilies families)
      : families_(std::move(families)), blocks_(std::move(blocks)) {
    const Index n = pencil.mass.rows();
    decompose(pencil);
    make_layers(n);
    cosine_ = sine_over_ = sine_times_ = room();
    for (const FunctionFamily& family : families_) {
      auto& functions = entries_.emplace_back(family.size());
      for (Entries& entries : functions) entries = room();
      results_.emplace_back(n, static_cast<Index>(family.size()));
    }
  }
  std::string name() const override { return "small blocks"; }
  double fastest() const override { return fastest_; }
  const Vec& fastest_mode() const override { return mode_; }
  long products() const override { return 0; }

  void prepare(double h) override {
    for (std::size_t i = 0; i < families_.size(); ++i)
      for (std::size_t f = 0; f < families_[i].size(); ++f)
        set(entries_[i][f], [&](double omega) { return families_[i][f](h * omega); });
    set(cosine_, [&](double omega) { return std::cos(h * omega); });
    set(sine_over_, [&](double omega) { return omega == 0 ? h : std::sin(h * omega) / omega; });
    set(sine_times_, [&](double omega) { return omega * std::sin(h * omega); });
  }

  const Mat* apply(std::size_t family, In x) override {
    Mat& y = results_[family];
    for (Index f = 0; f < y.cols(); ++f) apply_one(family, static_cast<std::size_t>(f), x, y.col(f));
    return &y;
  }

  bool needs_no_basis() const override { return true; }
  void apply_one(std::size_t family, std::size_t function, In x, Out y) override {
    const Entries& entries = entries_[family][function];
    gather(x);
    y = entries[0].cwiseProduct(x);
    for (std::size_t r = 1; r < layers_.size(); ++r) add_layer(layers_[r], entries[r], y.data());
  }

  bool turn(double kick, In a, Out q, Out v) override {
    gather(q);
    gather_kicked(v, kick, a);
    const bool finite = turn_alone(q.size(), cosine_[0].data(), sine_over_[0].data(), sine_times_[0].data(), kick,
                                   a.data(), q.data(), v.data());
    for (std::size_t r = 1; r < layers_.size(); ++r) add_turned(r, q.data(), v.data());
    return finite && (layers_.size() == 1 || (all_finite(q) && all_finite(v)));
  }

 private:
  using Entries = std::vector<Vec>;  // of a matrix, one vector for each layer

  // Afterwards `values` of the parts are frequencies.
  void decompose(const Pencil& pencil) {
    const bool symmetric = is_symmetric(pencil.stiffness);
    double smallest = 0, largest = 0;
    for (const UnknownBlock& block : blocks_) {
      parts_.push_back(trill::decompose(block_of(pencil.stiffness, block), block_of(pencil.mass, block), symmetric));
      smallest = std::min(smallest, parts_.back().values.minCoeff());
      largest = std::max(largest, parts_.back().values.cwiseAbs().maxCoeff());
    }
    require_not_negative(smallest, tolerance::eigenvalue * largest);
    mode_ = Vec::Zero(pencil.mass.rows());
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      Vec& values = parts_[b].values;
      values = values.cwiseMax(0).cwiseSqrt();
      Index last = 0;
      if (b > 0 && !(values.maxCoeff(&last) > fastest_)) continue;
      fastest_ = values.maxCoeff(&last);
      mode_.setZero();
      for (std::size_t i = 0; i < blocks_[b].size(); ++i)
        mode_[blocks_[b][i]] = parts_[b].vectors(static_cast<Index>(i), last);
    }
    if (mode_.size() > 0) mode_.normalize();
  }

  void make_layers(Index n) {
    std::vector<std::size_t> block(static_cast<std::size_t>(n)), place(block);
    std::size_t most = 1;
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      for (std::size_t i = 0; i < blocks_[b].size(); ++i) {
        block[static_cast<std::size_t>(blocks_[b][i])] = b;
        place[static_cast<std::size_t>(blocks_[b][i])] = i;
        most = std::max(most, blocks_[b].size());
      }
    for (std::size_t r = 0; r < most; ++r) {
      BlockLayer& layer = layers_.emplace_back();
      layer.place.resize(block.size());
      for (std::size_t i = 0; i < block.size(); ++i) {
        const UnknownBlock& own = blocks_[block[i]];
        if (own.size() <= r) continue;
        layer.place[i] = static_cast<Index>(layer.rows.size());
        layer.rows.push_back(static_cast<Index>(i));
        layer.columns.push_back(own[(place[i] + r) % own.size()]);
      }
      layer.from = layer.from_v = Vec::Zero(static_cast<Index>(layer.rows.size()));
    }
  }

  Entries room() const {
    Entries entries;
    for (const BlockLayer& layer : layers_) entries.emplace_back(static_cast<Index>(layer.rows.size()));
    return entries;
  }

  // The entries of a function of K, given on its frequencies.
  void set(Entries& entries, const std::function<double(double)>& function) {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const Decomposition& k = parts_[b];
      scaled_ = k.vectors;
      for (Index j = 0; j < k.values.size(); ++j) scaled_.col(j) *= function(k.values[j]);
      const Mat product = scaled_.lazyProduct(k.inverse);
      const UnknownBlock& block = blocks_[b];
      for (std::size_t i = 0; i < block.size(); ++i)
        for (std::size_t r = 0; r < block.size(); ++r)
          entries[r][layers_[r].place[static_cast<std::size_t>(block[i])]] =
              product(static_cast<Index>(i), static_cast<Index>((i + r) % block.size()));
    }
  }

  void gather(In x) {
    for (std::size_t r = 1; r < layers_.size(); ++r) {
      const Index* columns = layers_[r].columns.data();
      double* y = layers_[r].from.data();
      for (Index k = 0; k < layers_[r].from.size(); ++k) y[k] = x[columns[k]];
    }
  }

  void gather_kicked(In v, double kick, In a) {
    for (std::size_t r = 1; r < layers_.size(); ++r) {
      const Index* columns = layers_[r].columns.data();
      double* y = layers_[r].from_v.data();
      for (Index k = 0; k < layers_[r].from_v.size(); ++k) y[k] = v[columns[k]] + kick * a[columns[k]];
    }
  }

  static void add_layer(const BlockLayer& layer, const Vec& entries, double* y) {
    const Index* rows = layer.rows.data();
    for (Index k = 0; k < entries.size(); ++k) y[rows[k]] += entries[k] * layer.from[k];
  }

  void add_turned(std::size_t r, double* q, double* v) const {
    const BlockLayer& layer = layers_[r];
    const Index* rows = layer.rows.data();
    for (Index k = 0; k < layer.from.size(); ++k) {
      const double position = layer.from[k], speed = layer.from_v[k];
      q[rows[k]] += cosine_[r][k] * position + sine_over_[r][k] * speed;
      v[rows[k]] += cosine_[r][k] * speed - sine_times_[r][k] * position;
    }
  }

  FunctionFamilies families_;
  std::vector<UnknownBlock> blocks_;
  std::vector<Decomposition> parts_;  // of the blocks
  std::vector<BlockLayer> layers_;
  std::vector<std::vector<Entries>> entries_;  // of the functions of families
  Entries cosine_, sine_over_, sine_times_;    // of h sqrt(K), the others divided by sqrt(K) and times it
  std::vector<Mat> results_;
  Vec mode_;
  double fastest_ = 0;
  Mat scaled_;
};
}  // namespace

std::unique_ptr<MatrixFunctions> block_functions(const Pencil& pencil, std::vector<UnknownBlock> blocks,
                                                 FunctionFamilies families) {
  return std::make_unique<BlockFunctions>(pencil, std::move(blocks), std::move(families));
}
}  // namespace trill
