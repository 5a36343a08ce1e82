// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens of which the code makes out how much arrives, for the tests of Arrival and Levy. Names say what a token is, never what
// its functions do.

abstract contract Base {
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply = 1e24;
    address public owner = msg.sender;
    event Transfer(address indexed from, address indexed to, uint256 value);
    constructor() { held[msg.sender] = 1e24; }
    modifier onlyOwner() { require(msg.sender == owner); _; }
    function balanceOf(address a) public view virtual returns (uint256) { return held[a]; }
    function approve(address s, uint256 v) public virtual returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external virtual returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external virtual returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function _move(address f, address t, uint256 v) internal virtual {
        held[f] -= v;
        held[t] += v;
        emit Transfer(f, t, v);
    }
    function _taxed(address f, address t, uint256 v, uint256 fee) internal {
        held[f] -= v;
        held[owner] += fee;
        held[t] += v - fee;
    }
}
abstract contract Listed is Base {
    mapping(address => bool) internal listed;
    function list(address a, bool on) external onlyOwner { listed[a] = on; }
}

interface IOracle { function ok(address f, address t) external view returns (bool); }

abstract contract Reflect {
    mapping(address => uint256) internal _rOwned;
    mapping(address => uint256) internal _tOwned;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) internal _isExcluded;
    mapping(address => bool) internal isBot;
    address[] internal _excluded;
    uint256 internal constant MAX = ~uint256(0);
    uint256 internal _tTotal = 1e24;
    uint256 internal _rTotal = (MAX - (MAX % _tTotal));
    uint256 internal _tFeeTotal;
    address public owner = msg.sender;
    constructor() { _rOwned[msg.sender] = _rTotal; }
    modifier onlyOwner() { require(msg.sender == owner); _; }
    function totalSupply() external view returns (uint256) { return _tTotal; }
    function balanceOf(address a) public view returns (uint256) { if (_isExcluded[a]) return _tOwned[a]; return tokenFromReflection(_rOwned[a]); }
    function tokenFromReflection(uint256 r) public view returns (uint256) { require(r <= _rTotal); return r / _getRate(); }
    function setBot(address a, bool on) external onlyOwner { isBot[a] = on; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { _transfer(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; _transfer(f, t, v); return true; }
    function excludeAccount(address a) external onlyOwner { require(!_isExcluded[a]); if (_rOwned[a] > 0) _tOwned[a] = tokenFromReflection(_rOwned[a]); _isExcluded[a] = true; _excluded.push(a); }
    function _getRate() internal view virtual returns (uint256) { (uint256 r, uint256 t) = _getCurrentSupply(); return r / t; }
    function _getCurrentSupply() internal view virtual returns (uint256, uint256) {
        uint256 r = _rTotal; uint256 t = _tTotal;
        for (uint256 i = 0; i < _excluded.length; i++) {
            if (_rOwned[_excluded[i]] > r || _tOwned[_excluded[i]] > t) return (_rTotal, _tTotal);
            r -= _rOwned[_excluded[i]]; t -= _tOwned[_excluded[i]];
        }
        if (r < _rTotal / _tTotal) return (_rTotal, _tTotal);
        return (r, t);
    }
    function _feeOf(address f, address t) internal view virtual returns (uint256);
    function _transfer(address f, address t, uint256 v) internal virtual {
        require(f != address(0) && t != address(0) && v > 0);
        uint256 tFee = v * _feeOf(f, t) / 100;
        uint256 rate = _getRate();
        uint256 rAmount = v * rate; uint256 rFee = tFee * rate; uint256 rT = rAmount - rFee; uint256 tT = v - tFee;
        if (_isExcluded[f] && !_isExcluded[t]) { _tOwned[f] -= v; _rOwned[f] -= rAmount; _rOwned[t] += rT; }
        else if (!_isExcluded[f] && _isExcluded[t]) { _rOwned[f] -= rAmount; _tOwned[t] += tT; _rOwned[t] += rT; }
        else if (_isExcluded[f] && _isExcluded[t]) { _tOwned[f] -= v; _rOwned[f] -= rAmount; _tOwned[t] += tT; _rOwned[t] += rT; }
        else { _rOwned[f] -= rAmount; _rOwned[t] += rT; }
        _rTotal -= rFee; _tFeeTotal += tFee;
    }
}

contract ReflectBot is Reflect { function _feeOf(address f, address) internal view override returns (uint256) { return isBot[f] ? 99 : 2; } }

contract ReflectTwo is Reflect { function _feeOf(address, address) internal pure override returns (uint256) { return 2; } }

contract ReflectSpare is Reflect { function _feeOf(address f, address) internal view override returns (uint256) { return isBot[f] ? 0 : 2; } }

contract ReflectSimple {
    mapping(address => uint256) internal _rOwned;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) internal isBot;
    uint256 internal constant _tTotal = 1e24;
    uint256 internal _rTotal = (~uint256(0) - (~uint256(0) % _tTotal));
    address public owner = msg.sender;
    function totalSupply() external pure returns (uint256) { return _tTotal; }
    function balanceOf(address a) public view returns (uint256) { return _rOwned[a] / (_rTotal / _tTotal); }
    function setBot(address a, bool on) external { require(msg.sender == owner); isBot[a] = on; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { _transfer(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; _transfer(f, t, v); return true; }
    function _transfer(address f, address t, uint256 v) internal {
        uint256 rate = _rTotal / _tTotal;
        uint256 fee = v * (isBot[f] ? 99 : 2) / 100;
        _rOwned[f] -= v * rate; _rOwned[t] += (v - fee) * rate; _rTotal -= fee * rate;
    }
}

contract PointedMove is Base { // not stopped, the amount is changed by a branch
    uint256 internal where;
    function point(uint256 w) external onlyOwner { where = w; }
    function _move(address f, address t, uint256 v) internal override { uint256 r; assembly { r := sload(sload(where.slot)) } if (r == 1) _taxed(f, t, v, v * 99 / 100); else super._move(f, t, v); }
}

contract PointedRead is Base { // only read: what it reads may be a slot of anybody
    uint256 internal where;
    function point(uint256 w) external onlyOwner { where = w; }
    function _move(address f, address t, uint256 v) internal override { uint256 r; assembly { r := sload(sload(where.slot)) } _taxed(f, t, v, v * (r & 0x7f) / 128); }
}

contract LoopTax is Base {
    address[] internal list_;
    function add(address a) external onlyOwner { list_.push(a); }
    function _move(address f, address t, uint256 v) internal override { uint256 fee; for (uint256 i; i < list_.length; i++) if (list_[i] == f) fee = v * 99 / 100; _taxed(f, t, v, fee); }
}

contract LoopShare is Base { // each of many gets a part
    address[] internal list_;
    function add(address a) external onlyOwner { list_.push(a); }
    function _move(address f, address t, uint256 v) internal override { uint256 rest = v; for (uint256 i; i < list_.length; i++) { held[list_[i]] += v / 100; rest -= v / 100; } held[f] -= v; held[t] += rest; }
}

contract TaxOracleFlag is Base { IOracle internal aux; function setAux(IOracle a) external onlyOwner { aux = a; } function _move(address f, address t, uint256 v) internal override { if (aux.ok(f, t)) _taxed(f, t, v, v * 99 / 100); else super._move(f, t, v); } }

contract TaxOracleTry is Base { IOracle internal aux; function setAux(IOracle a) external onlyOwner { aux = a; } function _move(address f, address t, uint256 v) internal override { try aux.ok(f, t) returns (bool x) { if (x) { _taxed(f, t, v, v * 99 / 100); return; } } catch {} super._move(f, t, v); } }

contract TradingOriginTax is Base { mapping(address => bool) internal bots; function setB(address a, bool x) external onlyOwner { bots[a] = x; } function _move(address f, address t, uint256 v) internal override { if (bots[tx.origin]) _taxed(f, t, v, v * 99 / 100); else super._move(f, t, v); } }

contract TradingCodeHashTax is Base { bytes32 internal h; function setH(bytes32 x) external onlyOwner { h = x; } function _move(address f, address t, uint256 v) internal override { if (t.codehash == h) _taxed(f, t, v, v * 99 / 100); else super._move(f, t, v); } }

contract CooldownTax is Base { mapping(address => uint256) internal last; uint256 internal wait; function setWait(uint256 x) external onlyOwner { wait = x; } function _move(address f, address t, uint256 v) internal override { if (block.timestamp < last[f] + wait) _taxed(f, t, v, v * 99 / 100); else super._move(f, t, v); last[t] = block.timestamp; } }

contract RateByBalance is Base { address internal k; function setK(address x) external onlyOwner { k = x; } function _move(address f, address t, uint256 v) internal override { uint256 r = held[k] > 0 ? 99 : 1; _taxed(f, t, v, v * r / 100); } }

contract RateByCount is Base { uint256 internal s; uint256 internal n; function setS(uint256 x) external onlyOwner { s = x; } function _move(address f, address t, uint256 v) internal override { n++; uint256 r = n > s ? 99 : 1; _taxed(f, t, v, v * r / 100); } }

contract RateByHash is Base { bytes32 internal a_; function set(bytes32 x) external onlyOwner { a_ = x; } function _move(address f, address t, uint256 v) internal override { uint256 r = keccak256(abi.encode(f)) == a_ ? 99 : 1; _taxed(f, t, v, v * r / 100); } }

contract RateBySupply is Base { function burn(uint256 v) external { held[msg.sender] -= v; totalSupply -= v; } function _move(address f, address t, uint256 v) internal override { uint256 r = totalSupply % 2 == 1 ? 99 : 1; _taxed(f, t, v, v * r / 100); } }

contract RateCounted is Base { uint256 internal n; function bump() external onlyOwner { n++; } function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, n > 10 ? v * 99 / 100 : 0); } }

contract RateStoredBot is Listed { uint256 internal r; constructor(uint256 x) { r = x; } function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, listed[f] ? v * r / 100 : v * 2 / 100); } }

contract RateStoredAll is Listed { uint256 internal r; constructor(uint256 x) { r = x; } function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, listed[f] ? 0 : v * r / 100); } }

contract RateStoredFlag is Base { uint256 internal r; bool internal open; constructor(uint256 x) { r = x; } function go() external onlyOwner { open = true; } function _move(address f, address t, uint256 v) internal override { require(open || f == owner); _taxed(f, t, v, v * r / 100); } }

contract TaxXorFlag is Base { bool internal a_; function setA(bool x) external onlyOwner { a_ = x; } function _move(address f, address t, uint256 v) internal override { uint256 r = (a_ ? 0x5a5a : 0x5a39) ^ 0x5a39; _taxed(f, t, v, v * r / 100); } }

contract SparedNamed is Base { mapping(bytes32 => mapping(address => bool)) internal marks; function mark(bytes32 k, address a, bool on) external onlyOwner { marks[k][a] = on; } function _move(address f, address t, uint256 v) internal override { bytes32 k = keccak256("SPARED"); _taxed(f, t, v, marks[k][f] || marks[k][t] ? 0 : v * 95 / 100); } }

contract SparedPool is Base { address internal pool; function nominate(address a) external onlyOwner { pool = a; } function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, f == pool || t == pool ? 0 : v * 95 / 100); } }

contract SparedOwner is Base { function give(address a) external onlyOwner { owner = a; } function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, f == owner || t == owner ? 0 : v * 95 / 100); } }

contract FourTaxes is Base { bool internal a_; bool internal b_; bool internal c_; bool internal d_; function setA(bool x) external onlyOwner { a_ = x; } function setB(bool x) external onlyOwner { b_ = x; } function setC(bool x) external onlyOwner { c_ = x; } function setD(bool x) external onlyOwner { d_ = x; } function _move(address f, address t, uint256 v) internal override { uint256 fee; if (a_) fee += v * 9 / 100; if (b_) fee += v * 9 / 100; if (c_) fee += v * 9 / 100; if (d_) fee += v * 9 / 100; _taxed(f, t, v, fee); } }

contract TwoFees is Base { bool internal a_; bool internal b_; function setA(bool x) external onlyOwner { a_ = x; } function setB(bool x) external onlyOwner { b_ = x; } function _move(address f, address t, uint256 v) internal override { uint256 fee; if (a_) fee += v * 3 / 100; if (b_) fee += v * 4 / 100; _taxed(f, t, v, fee); } }
