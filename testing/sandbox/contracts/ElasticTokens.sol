// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BareToken} from "./BareToken.sol";

/// Reflects 1 % of transfers; whom its owner excludes holds what another book says, which nobody filled.
/// What it tells of a transfer is what arrives, so that it is no `BareToken`.
contract ReflectingToken {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    uint256 public immutable totalSupply;
    address public immutable owner;
    uint256 private _reflected;
    mapping(address holder => uint256) private _shares;
    mapping(address holder => uint256) private _amounts;
    mapping(address holder => bool) private _excluded;
    mapping(address holder => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed holder, address indexed spender, uint256 value);

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_) {
        name = name_;
        symbol = symbol_;
        totalSupply = supply;
        owner = owner_;
        _reflected = type(uint256).max - (type(uint256).max % supply);
        _shares[msg.sender] = _reflected;
        emit Transfer(address(0), msg.sender, supply);
    }

    function excludeFromReward(address account) external {
        require(msg.sender == owner);
        _excluded[account] = true;
    }

    function balanceOf(address holder) public view returns (uint256) {
        return _excluded[holder] ? _amounts[holder] : _shares[holder] / _rate();
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _rate() private view returns (uint256) {
        return _reflected / totalSupply;
    }

    function _move(address from, address to, uint256 value) private {
        uint256 fee = value / 100;
        uint256 rate = _rate();
        if (_excluded[from]) _amounts[from] -= value;
        else _shares[from] -= value * rate;
        if (_excluded[to]) _amounts[to] += value - fee;
        else _shares[to] += (value - fee) * rate;
        _reflected -= fee * rate;
        emit Transfer(from, to, value - fee);
    }
}

/// A price that one address tells.
contract PegOracle {
    uint256 public price = 1e18;
    address private immutable _keeper;

    constructor(address keeper) {
        _keeper = keeper;
    }

    function tell(uint256 price_) external {
        require(msg.sender == _keeper);
        price = price_;
    }
}

/// Balances are shares times a price that another contract is asked for.
contract PeggedToken is BareToken {
    PegOracle public immutable oracle;
    uint256 private immutable _allShares;
    mapping(address holder => uint256) private _shares;

    constructor(string memory name_, string memory symbol_, uint256 supply, PegOracle oracle_) {
        name = name_;
        symbol = symbol_;
        oracle = oracle_;
        _allShares = supply;
        _shares[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function totalSupply() external view returns (uint256) {
        return (_allShares * oracle.price()) / 1e18;
    }

    function balanceOf(address holder) external view returns (uint256) {
        return (_shares[holder] * oracle.price()) / 1e18;
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 shares = (value * 1e18) / oracle.price();
        _shares[from] -= shares;
        _shares[to] += shares;
    }
}

/// Balances grow by 4 % a year, for everybody and for ever.
contract AccruingToken is BareToken {
    uint256 private constant ONE = 1e18;
    uint256 private immutable _start = block.timestamp;
    uint256 private immutable _allShares;
    mapping(address holder => uint256) private _shares;

    constructor(string memory name_, string memory symbol_, uint256 supply) {
        name = name_;
        symbol = symbol_;
        _allShares = supply;
        _shares[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function index() public view returns (uint256) {
        return ONE + ((ONE / 25) * (block.timestamp - _start)) / 365 days;
    }

    function totalSupply() external view returns (uint256) {
        return (_allShares * index()) / ONE;
    }

    function balanceOf(address holder) external view returns (uint256) {
        return (_shares[holder] * index()) / ONE;
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 shares = (value * ONE) / index();
        _shares[from] -= shares;
        _shares[to] += shares;
    }
}

/// A rebase by a rule that anybody carries out once a day, and nobody changes.
contract PolicyToken is BareToken {
    uint256 private constant GONS = type(uint128).max;
    uint256 public totalSupply;
    uint256 public rebasedAt = block.timestamp;
    mapping(address holder => uint256) private _gons;

    constructor(string memory name_, string memory symbol_, uint256 supply) {
        name = name_;
        symbol = symbol_;
        totalSupply = supply;
        _gons[msg.sender] = GONS;
        emit Transfer(address(0), msg.sender, supply);
    }

    function rebase() external {
        require(block.timestamp >= rebasedAt + 1 days, "once a day");
        rebasedAt = block.timestamp;
        totalSupply += totalSupply / 2_000;
    }

    function balanceOf(address holder) external view returns (uint256) {
        return (_gons[holder] * totalSupply) / GONS;
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 gons = (value * GONS) / totalSupply;
        _gons[from] -= gons;
        _gons[to] += gons;
    }
}
