// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC1363} from "@openzeppelin/contracts/token/ERC20/extensions/ERC1363.sol";
import {ERC20FlashMint} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20FlashMint.sol";
import {ERC20Wrapper} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Wrapper.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// A lean token in the manner of Solmate: public maps, unchecked sums, a permit of its own.
contract LeanToken {
    string public name;
    string public symbol;
    uint8 public immutable decimals = 18;
    uint256 public totalSupply;
    mapping(address holder => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;
    mapping(address holder => uint256) public nonces;
    uint256 private immutable _chain = block.chainid;
    bytes32 private immutable _separator;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    constructor(string memory name_, string memory symbol_, uint256 supply) {
        name = name_;
        symbol = symbol_;
        _separator = _domain();
        totalSupply += supply;
        unchecked {
            balanceOf[msg.sender] += supply;
        }
        emit Transfer(address(0), msg.sender, supply);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        unchecked {
            balanceOf[to] += amount;
        }
        emit Transfer(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        balanceOf[from] -= amount;
        unchecked {
            balanceOf[to] += amount;
        }
        emit Transfer(from, to, amount);
        return true;
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        require(deadline >= block.timestamp, "PERMIT_DEADLINE_EXPIRED");
        unchecked {
            bytes32 typeHash =
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
            bytes32 hash = keccak256(abi.encode(typeHash, owner, spender, value, nonces[owner]++, deadline));
            address recovered = ecrecover(keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), hash)), v, r, s);
            require(recovered != address(0) && recovered == owner, "INVALID_SIGNER");
            allowance[recovered][spender] = value;
        }
        emit Approval(owner, spender, value);
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return block.chainid == _chain ? _separator : _domain();
    }

    function _domain() private view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256("1"),
                block.chainid,
                address(this)
            )
        );
    }
}

/// A token in assembly in the manner of Solady: seeds instead of slots, and hashes of packed memory.
contract SeededToken {
    uint256 private constant _BALANCE_SEED = 0x87a211a2;
    uint256 private constant _ALLOWANCE_SEED = 0x7f5e9f20;
    uint256 private constant _SUPPLY_SLOT = 0x05345cdf77eb68f44c;
    uint256 private constant _TRANSFER = 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef;
    uint256 private constant _APPROVAL = 0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925;
    string private _name;
    string private _symbol;

    error InsufficientBalance();
    error InsufficientAllowance();

    constructor(string memory name_, string memory symbol_, uint256 supply) {
        _name = name_;
        _symbol = symbol_;
        assembly {
            sstore(_SUPPLY_SLOT, supply)
            mstore(0x0c, _BALANCE_SEED)
            mstore(0x00, caller())
            sstore(keccak256(0x0c, 0x20), supply)
            mstore(0x20, supply)
            log3(0x20, 0x20, _TRANSFER, 0, shr(96, mload(0x0c)))
        }
    }

    function name() external view returns (string memory) {
        return _name;
    }

    function symbol() external view returns (string memory) {
        return _symbol;
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function totalSupply() external view returns (uint256 result) {
        assembly {
            result := sload(_SUPPLY_SLOT)
        }
    }

    function balanceOf(address owner) external view returns (uint256 result) {
        assembly {
            mstore(0x0c, _BALANCE_SEED)
            mstore(0x00, owner)
            result := sload(keccak256(0x0c, 0x20))
        }
    }

    function allowance(address owner, address spender) external view returns (uint256 result) {
        assembly {
            mstore(0x20, spender)
            mstore(0x0c, _ALLOWANCE_SEED)
            mstore(0x00, owner)
            result := sload(keccak256(0x0c, 0x34))
        }
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        assembly {
            mstore(0x20, spender)
            mstore(0x0c, _ALLOWANCE_SEED)
            mstore(0x00, caller())
            sstore(keccak256(0x0c, 0x34), amount)
            mstore(0x00, amount)
            log3(0x00, 0x20, _APPROVAL, caller(), shr(96, mload(0x2c)))
        }
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        assembly {
            mstore(0x0c, _BALANCE_SEED)
            mstore(0x00, caller())
            let fromSlot := keccak256(0x0c, 0x20)
            let held := sload(fromSlot)
            if gt(amount, held) {
                mstore(0x00, 0xf4d678b8)
                revert(0x1c, 0x04)
            }
            sstore(fromSlot, sub(held, amount))
            mstore(0x00, to)
            let toSlot := keccak256(0x0c, 0x20)
            sstore(toSlot, add(sload(toSlot), amount))
            mstore(0x20, amount)
            log3(0x20, 0x20, _TRANSFER, caller(), shr(96, mload(0x0c)))
        }
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        assembly {
            let high := shl(96, from)
            mstore(0x20, caller())
            mstore(0x0c, or(high, _ALLOWANCE_SEED))
            let slot := keccak256(0x0c, 0x34)
            let allowed := sload(slot)
            if not(allowed) {
                if gt(amount, allowed) {
                    mstore(0x00, 0x13be252b)
                    revert(0x1c, 0x04)
                }
                sstore(slot, sub(allowed, amount))
            }
            mstore(0x0c, or(high, _BALANCE_SEED))
            let fromSlot := keccak256(0x0c, 0x20)
            let held := sload(fromSlot)
            if gt(amount, held) {
                mstore(0x00, 0xf4d678b8)
                revert(0x1c, 0x04)
            }
            sstore(fromSlot, sub(held, amount))
            mstore(0x00, to)
            let toSlot := keccak256(0x0c, 0x20)
            sstore(toSlot, add(sload(toSlot), amount))
            mstore(0x20, amount)
            log3(0x20, 0x20, _TRANSFER, shr(96, high), shr(96, mload(0x0c)))
        }
        return true;
    }
}

/// Shares of a vault of another token (EIP-4626): whoever pays in gets some.
contract ShareToken is ERC4626 {
    constructor(string memory name_, string memory symbol_, IERC20 asset_) ERC20(name_, symbol_) ERC4626(asset_) {}
}

/// Another token wrapped one for one.
contract WrappedToken is ERC20Wrapper {
    constructor(string memory name_, string memory symbol_, IERC20 underlying)
        ERC20(name_, symbol_)
        ERC20Wrapper(underlying)
    {}
}

/// Balances grow by 4 % a year, for everybody and for ever.
contract AccruingToken {
    uint256 private constant ONE = 1e18;
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    uint256 private immutable _start = block.timestamp;
    uint256 private immutable _allShares;
    mapping(address holder => uint256) private _shares;
    mapping(address holder => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed holder, address indexed spender, uint256 value);

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

    function _move(address from, address to, uint256 value) private {
        uint256 shares = (value * ONE) / index();
        _shares[from] -= shares;
        _shares[to] += shares;
        emit Transfer(from, to, value);
    }
}

/// A rebase by a rule that anybody carries out once a day, and nobody changes.
contract PolicyToken {
    uint256 private constant GONS = type(uint128).max;
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    uint256 public rebasedAt = block.timestamp;
    mapping(address holder => uint256) private _gons;
    mapping(address holder => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed holder, address indexed spender, uint256 value);

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

    function _move(address from, address to, uint256 value) private {
        uint256 gons = (value * GONS) / totalSupply;
        _gons[from] -= gons;
        _gons[to] += gons;
        emit Transfer(from, to, value);
    }
}

/// Minted by a bridge, of which there is none on this chain.
contract BridgedToken is ERC20 {
    address public immutable bridge;

    constructor(string memory name_, string memory symbol_, uint256 supply, address bridge_) ERC20(name_, symbol_) {
        bridge = bridge_;
        _mint(msg.sender, supply);
    }

    function mint(address to, uint256 amount) external {
        require(msg.sender == bridge, "only the bridge");
        _mint(to, amount);
    }

    function burn(address from, uint256 amount) external {
        require(msg.sender == bridge, "only the bridge");
        _burn(from, amount);
    }
}

/// 2 % of what does not come from or go to a treasury is for it, for ever.
contract TreasuryFeeToken is ERC20 {
    address public immutable treasury;

    constructor(string memory name_, string memory symbol_, uint256 supply, address treasury_) ERC20(name_, symbol_) {
        treasury = treasury_;
        _mint(msg.sender, supply);
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 fee = from == address(0) || from == treasury || to == treasury ? 0 : value / 50;
        if (fee > 0) super._update(from, treasury, fee);
        super._update(from, to, value - fee);
    }
}

/// Who burns gets his part of the ether that it holds.
contract FloorToken is ERC20 {
    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }

    receive() external payable {}

    function redeem(uint256 amount) external {
        uint256 part = (address(this).balance * amount) / totalSupply();
        _burn(msg.sender, amount);
        (bool ok,) = msg.sender.call{value: part}("");
        require(ok);
    }
}

/// What its team got at first becomes theirs to send within a year; nobody else is concerned.
contract VestedToken is ERC20 {
    address public immutable team;
    uint256 private immutable _start = block.timestamp;
    uint256 private immutable _grant;

    constructor(string memory name_, string memory symbol_, uint256 supply, address team_) ERC20(name_, symbol_) {
        team = team_;
        _grant = supply / 200;
        _mint(team_, supply / 200);
        _mint(msg.sender, supply - supply / 200);
    }

    function locked() public view returns (uint256) {
        uint256 passed = block.timestamp - _start;
        return passed >= 365 days ? 0 : (_grant * (365 days - passed)) / 365 days;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from == team) require(balanceOf(from) >= locked(), "vesting");
    }
}

/// OpenZeppelin's token that tells a receiver who asks for it (EIP-1363).
contract PayableToken is ERC1363 {
    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }
}

/// Sends to many at once.
contract BatchToken is ERC20 {
    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }

    function batchTransfer(address[] calldata to, uint256[] calldata values) external returns (bool) {
        require(to.length == values.length);
        for (uint256 i; i < to.length; i++) _transfer(msg.sender, to[i], values[i]);
        return true;
    }
}

/// Remembers what everybody had at each moment that somebody marks.
contract SnapshotToken is ERC20 {
    uint256 public current;
    mapping(address account => mapping(uint256 id => uint256)) private _past;
    mapping(address account => uint256) private _noted;

    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }

    function snapshot() external returns (uint256) {
        return ++current;
    }

    function balanceOfAt(address account, uint256 id) external view returns (uint256) {
        return id <= _noted[account] ? _past[account][id] : balanceOf(account);
    }

    function _update(address from, address to, uint256 value) internal override {
        _note(from);
        _note(to);
        super._update(from, to, value);
    }

    function _note(address account) private {
        if (account == address(0) || _noted[account] >= current) return;
        _noted[account] = current;
        _past[account][current] = balanceOf(account);
    }
}

/// OpenZeppelin's token that lends what it mints, for one transaction (EIP-3156).
contract FlashToken is ERC20FlashMint {
    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }
}

/// Whoever has a holder's signature sends for him, once (EIP-3009).
contract AuthorizedToken is ERC20, EIP712 {
    bytes32 private constant _TYPE = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    mapping(address holder => mapping(bytes32 nonce => bool)) public authorizationState;

    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) EIP712(name_, "1") {
        _mint(msg.sender, supply);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        require(block.timestamp > validAfter && block.timestamp < validBefore, "not now");
        require(!authorizationState[from][nonce], "used");
        bytes32 hash = _hashTypedDataV4(keccak256(abi.encode(_TYPE, from, to, value, validAfter, validBefore, nonce)));
        require(ECDSA.recover(hash, v, r, s) == from, "bad signature");
        authorizationState[from][nonce] = true;
        _transfer(from, to, value);
    }
}

/// Balances of many tokens by their number (EIP-6909).
contract ManyTokens {
    mapping(address holder => mapping(uint256 id => uint256)) public balanceOf;
    mapping(address holder => mapping(address operator => bool)) public isOperator;
    mapping(address holder => mapping(address spender => mapping(uint256 id => uint256))) public allowance;

    event Transfer(address caller, address indexed sender, address indexed receiver, uint256 indexed id, uint256 amount);
    event OperatorSet(address indexed owner, address indexed operator, bool approved);

    constructor(uint256 id, uint256 supply, address to) {
        balanceOf[to][id] = supply;
        emit Transfer(msg.sender, address(0), to, id, supply);
    }

    function setOperator(address operator, bool approved) external returns (bool) {
        isOperator[msg.sender][operator] = approved;
        emit OperatorSet(msg.sender, operator, approved);
        return true;
    }

    function transfer(address receiver, uint256 id, uint256 amount) external returns (bool) {
        balanceOf[msg.sender][id] -= amount;
        balanceOf[receiver][id] += amount;
        emit Transfer(msg.sender, msg.sender, receiver, id, amount);
        return true;
    }

    function transferFrom(address sender, address receiver, uint256 id, uint256 amount) external returns (bool) {
        if (msg.sender != sender && !isOperator[sender][msg.sender]) allowance[sender][msg.sender][id] -= amount;
        balanceOf[sender][id] -= amount;
        balanceOf[receiver][id] += amount;
        emit Transfer(msg.sender, sender, receiver, id, amount);
        return true;
    }
}

/// One of many tokens as an ERC-20 of its own: it holds them, and who pays in gets as many.
contract FacadeToken is ERC20 {
    ManyTokens public immutable many;
    uint256 public immutable id;

    constructor(string memory name_, string memory symbol_, ManyTokens many_, uint256 id_) ERC20(name_, symbol_) {
        many = many_;
        id = id_;
    }

    function deposit(uint256 amount) external {
        require(many.transferFrom(msg.sender, address(this), id, amount));
        _mint(msg.sender, amount);
    }

    function withdraw(uint256 amount) external {
        _burn(msg.sender, amount);
        require(many.transfer(msg.sender, id, amount));
    }
}

interface ISwapRouter {
    function swapExactTokensForETHSupportingFeeOnTransferTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external;
}

/// 3 % of trades, for ever; a sale first sells what has come together, for a treasury.
contract SwapBackToken is ERC20 {
    ISwapRouter private constant _ROUTER = ISwapRouter(0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D);
    address private constant _WETH = 0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2;
    address public immutable treasury;
    address public pair;
    bool private _swapping;

    constructor(string memory name_, string memory symbol_, uint256 supply, address treasury_) ERC20(name_, symbol_) {
        treasury = treasury_;
        _mint(msg.sender, supply);
    }

    function launch(address pair_) external {
        require(msg.sender == treasury && pair == address(0));
        pair = pair_;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (pair == address(0) || _swapping || (from != pair && to != pair)) {
            super._update(from, to, value);
            return;
        }
        uint256 held = balanceOf(address(this));
        if (to == pair && held > 500 ether) {
            _swapping = true;
            _approve(address(this), address(_ROUTER), held);
            address[] memory path = new address[](2);
            path[0] = address(this);
            path[1] = _WETH;
            _ROUTER.swapExactTokensForETHSupportingFeeOnTransferTokens(held, 0, path, treasury, block.timestamp);
            _swapping = false;
        }
        uint256 fee = (value * 3) / 100;
        super._update(from, address(this), fee);
        super._update(from, to, value - fee);
    }
}

/// Nobody moves more than 1 % at a time in the first hour, and everybody as he likes since.
contract LaunchLimitToken is ERC20 {
    uint256 private immutable _start = block.timestamp;
    address private immutable _maker = msg.sender;

    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }

    function _update(address from, address to, uint256 value) internal override {
        if (block.timestamp < _start + 1 hours && tx.origin != _maker) require(value <= totalSupply() / 100, "launch limit");
        super._update(from, to, value);
    }
}
