// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/SparseCore>

// Functions of Eigen and of the standard library that dozens of sources need and that are too long to be inlined: they
// are compiled once, in instances.cpp, and the precompiled headers of the library tell every source so.
namespace trill::instances {
using Index = Eigen::Index;
constexpr int columns = Eigen::ColMajor, rows = Eigen::RowMajor;
using SparseColumns = Eigen::SparseMatrix<double, columns>;
using SparseRows = Eigen::SparseMatrix<double, rows>;
using Traits = Eigen::internal::gebp_traits<double, double>;
template <int order>
using Reader = Eigen::internal::const_blas_data_mapper<double, Index, order>;
using Writer = Eigen::internal::blas_data_mapper<double, Index, columns>;
}  // namespace trill::instances

// clang-format off
#define TRILL_MATRIX_TIMES_VECTOR(declare, order, vector_order, version) \
  declare struct Eigen::internal::general_matrix_vector_product<trill::instances::Index, double, \
    trill::instances::Reader<order>, order, false, double, trill::instances::Reader<vector_order>, false, version>
#define TRILL_MATRIX_TIMES_MATRIX(declare, order, other_order) \
  declare struct Eigen::internal::general_matrix_matrix_product<trill::instances::Index, double, order, false, double, \
    other_order, false, trill::instances::columns, 1>
#define TRILL_PACK_LEFT(declare, order) \
  declare struct Eigen::internal::gemm_pack_lhs<double, trill::instances::Index, trill::instances::Reader<order>, \
    trill::instances::Traits::mr, trill::instances::Traits::LhsProgress, trill::instances::Traits::LhsPacket4Packing, order>
#define TRILL_TRIANGULAR_SOLVE(declare, triangle) \
  declare struct Eigen::internal::triangular_solve_matrix<double, trill::instances::Index, Eigen::OnTheLeft, triangle, \
    false, trill::instances::columns, trill::instances::columns, 1>

#define TRILL_INSTANCES(declare) \
  TRILL_MATRIX_TIMES_VECTOR(declare, trill::instances::columns, trill::instances::rows, 0); \
  TRILL_MATRIX_TIMES_VECTOR(declare, trill::instances::columns, trill::instances::columns, 0); \
  TRILL_MATRIX_TIMES_VECTOR(declare, trill::instances::rows, trill::instances::columns, 0); \
  TRILL_MATRIX_TIMES_VECTOR(declare, trill::instances::rows, trill::instances::rows, 1); \
  TRILL_MATRIX_TIMES_MATRIX(declare, trill::instances::columns, trill::instances::columns); \
  TRILL_MATRIX_TIMES_MATRIX(declare, trill::instances::rows, trill::instances::columns); \
  TRILL_PACK_LEFT(declare, trill::instances::columns); \
  TRILL_PACK_LEFT(declare, trill::instances::rows); \
  declare struct Eigen::internal::gemm_pack_rhs<double, trill::instances::Index, \
    trill::instances::Reader<trill::instances::columns>, trill::instances::Traits::nr, trill::instances::columns>; \
  declare struct Eigen::internal::gebp_kernel<double, double, trill::instances::Index, trill::instances::Writer, \
    trill::instances::Traits::mr, trill::instances::Traits::nr, false, false>; \
  declare void Eigen::internal::evaluateProductBlockingSizesHeuristic<double, double, 1, trill::instances::Index>( \
    trill::instances::Index&, trill::instances::Index&, trill::instances::Index&, trill::instances::Index); \
  TRILL_TRIANGULAR_SOLVE(declare, Eigen::Upper); \
  TRILL_TRIANGULAR_SOLVE(declare, Eigen::UnitLower); \
  declare void Eigen::internal::assign_sparse_to_sparse(trill::instances::SparseColumns&, \
                                                        const trill::instances::SparseColumns&); \
  declare trill::instances::SparseColumns& trill::instances::SparseColumns::operator=( \
    const Eigen::SparseMatrixBase<trill::instances::SparseRows>&); \
  declare trill::instances::SparseRows& trill::instances::SparseRows::operator=( \
    const Eigen::SparseMatrixBase<trill::instances::SparseColumns>&); \
  declare class std::basic_string<char>; \
  declare class std::vector<std::string>
// clang-format on

TRILL_INSTANCES(extern template);
