// SPDX-License-Identifier: MIT
export { connect } from './src/module/connect.js';
