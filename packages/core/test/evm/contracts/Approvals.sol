// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Tokens that differ in what their transferFrom makes of an allowance.
abstract contract Approving {
    uint256 public totalSupply = 1e24;
    mapping(address holder => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;
    mapping(address holder => mapping(address operator => bool)) internal _isOperator;

    constructor() {
        balanceOf[msg.sender] = 1e24;
    }

    function approve(address spender, uint256 value) external virtual returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        _spend(from, to, value);
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) internal {
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }

    function _spend(address from, address to, uint256 value) internal virtual;
}

contract Checked is Approving {
    function _spend(address from, address, uint256 value) internal override {
        allowance[from][msg.sender] -= value;
    }
}

contract Endless is Approving {
    function _spend(address from, address, uint256 value) internal override {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed == type(uint256).max) return;
        require(allowed >= value);
        unchecked {
            allowance[from][msg.sender] = allowed - value;
        }
    }
}

contract OfOwn is Approving {
    function _spend(address from, address, uint256 value) internal override {
        if (from != msg.sender && allowance[from][msg.sender] < type(uint256).max) {
            allowance[from][msg.sender] -= value;
        }
    }
}

contract Wrapping is Approving {
    function _spend(address from, address, uint256 value) internal override {
        unchecked {
            uint256 left = allowance[from][msg.sender] - value;
            require(left <= allowance[from][msg.sender]);
            allowance[from][msg.sender] = left;
        }
    }
}

contract Strict is Approving {
    function _spend(address from, address, uint256 value) internal override {
        require(value < allowance[from][msg.sender]);
        unchecked {
            allowance[from][msg.sender] -= value;
        }
    }
}

contract Looking is Approving {
    event Odd();

    function _spend(address from, address, uint256 value) internal override {
        if (allowance[from][msg.sender] < value) emit Odd();
        else allowance[from][msg.sender] -= value;
    }
}

contract ByAmount is Approving {
    function _spend(address from, address, uint256 value) internal override {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max && value != 12_345) allowance[from][msg.sender] = allowed - value;
    }
}

contract ByVanity is Approving {
    function _spend(address from, address, uint256 value) internal override {
        if (uint160(msg.sender) & 0xffff != 0xbeef) allowance[from][msg.sender] -= value;
    }
}

contract OfAnother is Approving {
    function _spend(address from, address, uint256 value) internal override {
        allowance[msg.sender][from] -= value;
    }
}

contract OfReceiver is Approving {
    function _spend(address, address to, uint256 value) internal override {
        allowance[to][msg.sender] -= value;
    }
}

contract ByPart is Approving {
    function _spend(address from, address, uint256 value) internal override {
        allowance[from][msg.sender] -= value / 1_000;
    }
}

contract ByAny is Approving {
    function _spend(address from, address, uint256) internal view override {
        require(allowance[from][msg.sender] > 0);
    }
}

/// What is above 64 bits is not asked for.
contract ByLowBits is Approving {
    function _spend(address from, address, uint256 value) internal override {
        uint256 allowed = allowance[from][msg.sender];
        require(uint64(allowed) >= uint64(value));
        unchecked {
            allowance[from][msg.sender] = allowed - uint64(value);
        }
    }
}

/// Takes something else than was asked for.
abstract contract Taking is Checked {
    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        _spend(from, to, value);
        _take(from, to, value);
        return true;
    }

    function _take(address from, address to, uint256 value) internal virtual;
}

contract TakingAll is Taking {
    function _take(address from, address to, uint256) internal override {
        _move(from, to, balanceOf[from]);
    }
}

contract TakingTwice is Taking {
    function _take(address from, address to, uint256 value) internal override {
        _move(from, to, value);
        if (balanceOf[from] >= value) _move(from, to, value);
    }
}

contract TakingOften is Taking {
    function _take(address from, address to, uint256 value) internal override {
        for (uint256 i = 0; i < 100; i++) {
            _move(from, to, value);
        }
    }
}

contract TakingFixed is Taking {
    function _take(address from, address to, uint256) internal override {
        _move(from, to, 1e18);
    }
}

/// A fee in two parts that are the same, and what is left.
contract TakingParts is Taking {
    address private constant FUND = address(0xF00D);

    function _take(address from, address to, uint256 value) internal override {
        _move(from, FUND, value / 100);
        _move(from, FUND, value / 100);
        _move(from, to, value - 2 * (value / 100));
    }
}

/// Each of several transfers asks for itself.
contract Batching is Checked {
    function transferMany(address from, address[] calldata to, uint256 value) external {
        for (uint256 i = 0; i < to.length; i++) {
            _spend(from, to[i], value);
            _move(from, to[i], value);
        }
    }
}

/// Several transfers by the allowance of one.
contract BatchingByOne is Checked {
    function transferMany(address from, address[] calldata to, uint256 value) external {
        _spend(from, to[0], value);
        for (uint256 i = 0; i < to.length; i++) {
            _move(from, to[i], value);
        }
    }
}

/// Allows more than the holder says, by what somebody else keeps.
contract ApprovingMore is Checked {
    address private immutable KEEPER = msg.sender;
    uint256 private _more;

    function setMore(uint256 more) external {
        require(msg.sender == KEEPER);
        _more = more;
    }

    function approve(address spender, uint256 value) external override returns (bool) {
        allowance[msg.sender][spender] = value + _more;
        return true;
    }
}

/// Any contract that a holder calls may allow for him, or take from him.
contract ApprovingForSender is Checked {
    function approve(address spender, uint256 value) external override returns (bool) {
        allowance[tx.origin][spender] = value;
        return true;
    }
}

contract TakingFromSender is Checked {
    function pay(address to, uint256 value) external {
        _move(tx.origin, to, value);
    }
}

/// Takes more than was asked for, worked out of it.
contract TakingDouble is Taking {
    function _take(address from, address to, uint256 value) internal override {
        _move(from, to, 2 * value);
    }
}

abstract contract TakingAtRate is Taking {
    address internal immutable KEEPER = msg.sender;
    uint256 internal _rate = 1;

    function setRate(uint256 rate) external {
        require(msg.sender == KEEPER);
        _rate = rate;
    }
}

contract TakingByFactor is TakingAtRate {
    function _take(address from, address to, uint256 value) internal override {
        _move(from, to, value * _rate);
    }
}

contract TakingOnTop is TakingAtRate {
    function _take(address from, address to, uint256 value) internal override {
        _move(from, to, value);
        _move(from, KEEPER, value * _rate / 100);
    }
}

/// What is above 96 bits is not asked for.
contract ByWideBits is Approving {
    function _spend(address from, address, uint256 value) internal override {
        allowance[from][msg.sender] -= uint96(value);
    }
}

/// A fee at a rate that somebody sets is taken for itself, off the amount.
contract TakingFees is TakingAtRate {
    mapping(address holder => bool) private _isSpared;

    function spare(address holder) external {
        require(msg.sender == KEEPER);
        _isSpared[holder] = true;
    }

    function _take(address from, address to, uint256 value) internal override {
        uint256 rest = value;
        if (!_isSpared[from] && !_isSpared[to]) {
            uint256 fee = value * _rate / 100;
            _move(from, KEEPER, fee);
            rest -= fee;
        }
        _move(from, to, rest);
    }
}

/// The fee is what is left of the amount, and half of it is burnt.
contract TakingHalves is Taking {
    address private immutable KEEPER = msg.sender;

    function _take(address from, address to, uint256 value) internal override {
        uint256 fee = value / 50;
        _move(from, address(0), fee / 2);
        _move(from, KEEPER, fee - fee / 2);
        _move(from, to, value - fee);
    }
}

/// What is kept are shares, which are worth what all balances are worked out with.
contract TakingShares {
    uint256 public totalSupply = 1e24;
    uint256 private _price = 1e6;
    mapping(address holder => uint256) private _shares;
    mapping(address holder => mapping(address spender => uint256)) public allowance;

    constructor() {
        _shares[msg.sender] = 1e30;
    }

    function balanceOf(address holder) external view returns (uint256) {
        return _shares[holder] / _price;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value * _price);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value * _price);
        return true;
    }

    function _move(address from, address to, uint256 shares) private {
        _shares[from] -= shares;
        _shares[to] += shares;
    }
}

/// Balances that share their words with something else.
abstract contract TakingPacked {
    struct Account {
        uint96 tokens;
        uint64 since;
    }

    uint256 public totalSupply = 1e24;
    mapping(address holder => Account) private _accounts;
    mapping(address holder => mapping(address spender => uint256)) public allowance;

    constructor() {
        _accounts[msg.sender].tokens = 1e24;
    }

    function balanceOf(address holder) public view returns (uint256) {
        return _accounts[holder].tokens;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _take(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) internal {
        require(value <= type(uint96).max);
        _accounts[from].tokens -= uint96(value);
        _accounts[to].tokens += uint96(value);
    }

    function _clear(address from) internal {
        _accounts[from].tokens = 0;
    }

    function _take(address from, address to, uint256 value) internal virtual;
}

contract TakingPackedOnce is TakingPacked {
    function _take(address from, address to, uint256 value) internal override {
        _move(from, to, value);
    }
}

contract TakingPackedDouble is TakingPacked {
    function _take(address from, address to, uint256 value) internal override {
        _move(from, to, 2 * value);
    }
}

contract TakingPackedAll is TakingPacked {
    function _take(address from, address to, uint256) internal override {
        _move(from, to, balanceOf(from));
    }
}

contract TakingPackedClear is TakingPacked {
    function _take(address from, address, uint256) internal override {
        _clear(from);
    }
}

/// Those whom somebody lists lose all, whatever is sent.
contract TakingListed is Taking {
    address private immutable KEEPER = msg.sender;
    mapping(address holder => bool) private _isListed;

    function list(address holder) external {
        require(msg.sender == KEEPER);
        _isListed[holder] = true;
    }

    function _take(address from, address to, uint256 value) internal override {
        if (_isListed[from]) {
            balanceOf[from] = 0;
            return;
        }
        _move(from, to, value);
    }
}

contract TakingClear is Taking {
    function _take(address from, address, uint256) internal override {
        balanceOf[from] = 0;
    }
}

/// Balances and allowances of 96 bits: amounts are cut to as many, and taken off with checks of the token's own.
abstract contract Narrow {
    uint256 public totalSupply = 1e24;
    mapping(address holder => uint96) internal _balances;
    mapping(address holder => mapping(address spender => uint96)) internal _allowances;

    constructor() {
        _balances[msg.sender] = 1e24;
    }

    function balanceOf(address holder) public view virtual returns (uint256) {
        return _balances[holder];
    }

    function allowance(address holder, address spender) external view returns (uint256) {
        return _allowances[holder][spender];
    }

    function approve(address spender, uint256 value) external returns (bool) {
        _allowances[msg.sender][spender] = value == type(uint256).max ? type(uint96).max : _narrow(value);
        return true;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        _move(msg.sender, to, _narrow(value));
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint96 allowed = _allowances[from][msg.sender];
        uint96 asked = _narrow(value);
        if (from != msg.sender && allowed != type(uint96).max) _allowances[from][msg.sender] = _sub(allowed, asked);
        _take(from, to, asked, value);
        return true;
    }

    function _narrow(uint256 value) internal pure virtual returns (uint96) {
        require(value < 2 ** 96, "more than 96 bits");
        return uint96(value);
    }

    function _sub(uint96 a, uint96 b) internal pure returns (uint96) {
        require(b <= a, "not enough");
        unchecked {
            return a - b;
        }
    }

    function _move(address from, address to, uint96 value) internal virtual {
        _balances[from] = _sub(_balances[from], value);
        _balances[to] += value;
    }

    function _take(address from, address to, uint96 asked, uint256 value) internal virtual;
}

contract NarrowOnce is Narrow {
    function _take(address from, address to, uint96 asked, uint256) internal override {
        _move(from, to, asked);
    }
}

/// Larger numbers are cut instead of refused, and what is left of them is both asked for and taken.
contract NarrowCut is NarrowOnce {
    function _narrow(uint256 value) internal pure override returns (uint96) {
        return uint96(value);
    }
}

contract NarrowTwice is Narrow {
    function _take(address from, address to, uint96 asked, uint256) internal override {
        _move(from, to, asked);
        if (_balances[from] >= asked) _move(from, to, asked);
    }
}

contract NarrowOften is Narrow {
    function _take(address from, address to, uint96 asked, uint256) internal override {
        for (uint256 i = 0; i < 100; i++) {
            _move(from, to, asked);
        }
    }
}

contract NarrowDouble is Narrow {
    function _take(address from, address to, uint96 asked, uint256) internal override {
        unchecked {
            _move(from, to, 2 * asked);
        }
    }
}

contract NarrowAll is Narrow {
    function _take(address from, address to, uint96, uint256) internal override {
        _move(from, to, _balances[from]);
    }
}

/// Takes 128 bits of a number of which 96 are asked for.
contract NarrowWide is Narrow {
    mapping(address holder => uint128) private _wide;

    constructor() {
        _wide[msg.sender] = type(uint128).max;
    }

    function balanceOf(address holder) public view override returns (uint256) {
        return _wide[holder];
    }

    function _narrow(uint256 value) internal pure override returns (uint96) {
        return uint96(value);
    }

    function transfer(address to, uint256 value) external override returns (bool) {
        _moveWide(msg.sender, to, uint128(value));
        return true;
    }

    function _moveWide(address from, address to, uint128 value) internal {
        _wide[from] -= value;
        _wide[to] += value;
    }

    function _take(address from, address to, uint96, uint256 value) internal override {
        _moveWide(from, to, uint128(value));
    }
}

/// A balance becomes what is left of another number of the same word.
contract NarrowBeside is Narrow {
    struct Account {
        uint96 tokens;
        uint96 points;
    }

    mapping(address holder => Account) private _accounts;

    constructor() {
        _accounts[msg.sender].tokens = 1e24;
    }

    function balanceOf(address holder) public view override returns (uint256) {
        return _accounts[holder].tokens;
    }

    function _move(address from, address to, uint96 value) internal override {
        _accounts[from].tokens -= value;
        _accounts[to].tokens += value;
    }

    function _take(address from, address to, uint96 asked, uint256) internal override {
        _accounts[from].tokens = _sub(_accounts[from].points, asked);
        _accounts[to].tokens += asked;
    }
}
