// SPDX-License-Identifier: BSD-3-Clause
// For everyone: the vector and matrix types, and the types of vector arguments (In, Out).
#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCore>

namespace trill {
using Index = Eigen::Index;
using Vec = Eigen::VectorXd;
using Mat = Eigen::MatrixXd;
using SpMat = Eigen::SparseMatrix<double>;
using Extended = long double;  // for results that are small differences of large numbers
using ExtendedVec = Eigen::Matrix<Extended, Eigen::Dynamic, 1>;
using ExtendedMat = Eigen::Matrix<Extended, Eigen::Dynamic, Eigen::Dynamic>;
using In = const Eigen::Ref<const Vec>&;  // read-only argument: binds to vectors, blocks, maps
using Out = Eigen::Ref<Vec>;              // the callee fills it; its size is already right
}  // namespace trill
